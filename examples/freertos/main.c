// Four sensors send readings to a collector, by pointer through one queue; the collector frees each and tells a logger
// of it through a message buffer. `main messages N` does N readings of each sensor in simulated time, `main ticks N` in
// the host's, with a tick of a timer each millisecond.
#include <FreeRTOS.h>
#include <event_groups.h>
#include <message_buffer.h>
#include <queue.h>
#include <semphr.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <task.h>
#include <timers.h>
#include <unistd.h>

enum { SENSORS = 4, VALUES = 12, FILTER_EVERY = 64, REST_EVERY = 16 };
enum { LOW = 1, MIDDLE = 2, HIGH = 3 };

struct reading {
  unsigned sensor;
  unsigned number;
  unsigned values[VALUES];
};

struct sensor {
  TaskHandle_t task;
  unsigned number;
  unsigned sent;
  unsigned filtered;
};

struct totals {
  unsigned count[SENSORS];
  unsigned long sum;
};

struct note {
  unsigned sensor;
  unsigned number;
};

/** A filter is a task of its own, which works on one reading and ends. */
struct filter {
  TaskHandle_t asked_by;
  unsigned result;
  struct reading copy;
};

int ticks_are_real;
static unsigned readings_each;
static struct sensor sensors[SENSORS];
static struct totals totals;
static unsigned logged, beats;
static QueueHandle_t queue;
static SemaphoreHandle_t totals_mutex;
static EventGroupHandle_t all_have_started;
static MessageBufferHandle_t notes;

void failed(const char *what, const char *file, int line) {
  fprintf(stderr, "freertos: %s:%d: %s\n", file, line, what);
  abort();
}

/** Nobody has anything to do until a tick. In simulated time here it is: the port takes SIGALRM for its timer. */
void vApplicationIdleHook(void) {
  if (ticks_are_real)
    pause();
  else
    raise(SIGALRM);
}

static void beat(TimerHandle_t timer) {
  (void)timer;
  beats++;
}

static void filter(void *argument) {
  struct filter *work = argument;
  for (unsigned i = 1; i < VALUES; i++) work->copy.values[i] = (work->copy.values[i - 1] + work->copy.values[i]) / 2;
  work->result = work->copy.values[VALUES - 1];
  xTaskNotifyGive(work->asked_by);
  vTaskDelete(NULL);
}

static unsigned filtered(const struct reading *reading) {
  struct filter *work = pvPortMalloc(sizeof *work);
  configASSERT(work);
  work->asked_by = xTaskGetCurrentTaskHandle();
  work->copy = *reading;
  configASSERT(xTaskCreate(filter, "filter", configMINIMAL_STACK_SIZE, work, HIGH, NULL) == pdPASS);
  ulTaskNotifyTake(pdTRUE, portMAX_DELAY);
  const unsigned result = work->result;
  vPortFree(work);
  return result;
}

static void sense(void *argument) {
  struct sensor *sensor = argument;
  xEventGroupSync(all_have_started, 1U << sensor->number, (1U << SENSORS) - 1, portMAX_DELAY);
  unsigned noise = sensor->number + 1;
  while (sensor->sent < readings_each) {
    struct reading *reading = pvPortMalloc(sizeof *reading);
    configASSERT(reading);
    reading->sensor = sensor->number;
    reading->number = sensor->sent++;
    for (unsigned i = 0; i < VALUES; i++) reading->values[i] = (noise = noise * 1103515245 + 12345) >> 16;
    if (sensor->sent % FILTER_EVERY == 0) sensor->filtered += filtered(reading);
    xQueueSend(queue, &reading, portMAX_DELAY);
    if (sensor->sent % REST_EVERY == 0) vTaskDelay(1 + sensor->number);
  }
  vTaskSuspend(NULL);
}

static void collect(void *argument) {
  (void)argument;
  for (unsigned i = 0; i < SENSORS * readings_each; i++) {
    struct reading *reading;
    xQueueReceive(queue, &reading, portMAX_DELAY);
    xSemaphoreTake(totals_mutex, portMAX_DELAY);
    totals.count[reading->sensor] += reading->number == totals.count[reading->sensor];
    for (unsigned value = 0; value < VALUES; value++) totals.sum += reading->values[value];
    xSemaphoreGive(totals_mutex);
    const struct note note = {reading->sensor, reading->number};
    vPortFree(reading);
    xMessageBufferSend(notes, &note, sizeof note, portMAX_DELAY);
  }
  vTaskSuspend(NULL);
}

static void log_notes(void *argument) {
  (void)argument;
  for (struct note note; logged < SENSORS * readings_each; logged++)
    configASSERT(xMessageBufferReceive(notes, &note, sizeof note, portMAX_DELAY) == sizeof note);
  vTaskEndScheduler();
}

static TaskHandle_t make(TaskFunction_t function, const char *name, void *argument, UBaseType_t priority) {
  TaskHandle_t task;
  configASSERT(xTaskCreate(function, name, configMINIMAL_STACK_SIZE, argument, priority, &task) == pdPASS);
  return task;
}

int main(int count, char **words) {
  if (count != 3) return 2;
  ticks_are_real = strcmp(words[1], "ticks") == 0;
  readings_each = (unsigned)strtoul(words[2], NULL, 10);
  queue = xQueueCreate(8, sizeof(struct reading *));
  totals_mutex = xSemaphoreCreateMutex();
  all_have_started = xEventGroupCreate();
  notes = xMessageBufferCreate(256);
  TimerHandle_t timer = xTimerCreate("beat", 5, pdTRUE, NULL, beat);
  configASSERT(queue && totals_mutex && all_have_started && notes && timer);
  configASSERT(xTimerStart(timer, 0) == pdPASS);
  for (unsigned i = 0; i < SENSORS; i++) {
    sensors[i].number = i;
    sensors[i].task = make(sense, "sensor", &sensors[i], MIDDLE);
  }
  make(collect, "collector", NULL, HIGH);
  make(log_notes, "logger", NULL, LOW);
  vTaskStartScheduler();

  unsigned came = 0;
  for (unsigned i = 0; i < SENSORS; i++) came += totals.count[i];
  printf("freertos: %u of %u readings came, %u logged, %u beats\n", came, SENSORS * readings_each, logged, beats);
  return came == SENSORS * readings_each && logged == came ? 0 : 1;
}
