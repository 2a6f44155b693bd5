// What this FreeRTOS is like: one processor, preemptive, its own heap (heap_4.c), everything that main.c uses.
#pragma once

void failed(const char *what, const char *file, int line) __attribute__((noreturn));
#define configASSERT(condition) ((condition) ? (void)0 : failed(#condition, __FILE__, __LINE__))

/** Whether ticks come from the host's clock (changes.sh). Otherwise the idle task makes them. */
extern int ticks_are_real;

#define configUSE_PREEMPTION 1
#define configUSE_TIME_SLICING 1
#define configUSE_IDLE_HOOK 1
#define configUSE_TICK_HOOK 0
#define configTICK_RATE_HZ 1000
#define configTICK_TYPE_WIDTH_IN_BITS TICK_TYPE_WIDTH_64_BITS
#define configMAX_PRIORITIES 5
#define configMAX_TASK_NAME_LEN 12
#define configMINIMAL_STACK_SIZE 4096
#define configTOTAL_HEAP_SIZE (1024 * 1024)
#define configSUPPORT_DYNAMIC_ALLOCATION 1
#define configSUPPORT_STATIC_ALLOCATION 0

#define configUSE_MUTEXES 1
#define configUSE_EVENT_GROUPS 1
#define configUSE_STREAM_BUFFERS 1
#define configUSE_TASK_NOTIFICATIONS 1
#define configUSE_TIMERS 1
#define configTIMER_TASK_PRIORITY 4
#define configTIMER_QUEUE_LENGTH 8
#define configTIMER_TASK_STACK_DEPTH configMINIMAL_STACK_SIZE

#define INCLUDE_vTaskDelete 1
#define INCLUDE_vTaskDelay 1
#define INCLUDE_vTaskSuspend 1
#define INCLUDE_xTimerGetTimerDaemonTaskHandle 1
