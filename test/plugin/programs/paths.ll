; Paths: what one pass through a region leaves. Behind each call, the paths it takes as "FUNCTION NUMBER/PATHS +GAP: CELLS"; cells are the
; numbers of the accessed elements of @cells, with ' where the address was derived and not logged. main's own are left out.
@cells = global [32 x i32] zeroinitializer, align 16
declare i32 @__gcc_personality_v0(...)

define void @leaf(ptr %p) noinline {
  %at = getelementptr i8, ptr %p, i64 124
  store i32 0, ptr %at
  ret void
}

; The shorter way leaves a gap before the join; cell 2 is derived over the branch, on both ways from cell 0.
define void @diamond(ptr %p, i64 %i, i1 %c) {
entry:
  %0 = load i32, ptr %p
  br i1 %c, label %near, label %far
near:
  %p1 = getelementptr i32, ptr %p, i64 1
  store i32 1, ptr %p1
  br label %join
far:
  %pi = getelementptr i32, ptr %p, i64 %i
  store i32 1, ptr %pi
  br label %join
join:
  %p2 = getelementptr i32, ptr %p, i64 2
  store i32 1, ptr %p2
  ret void
}

; What is logged on one way only is nothing to derive from behind it.
define void @one_way(ptr %p, ptr %q, i1 %c) {
entry:
  store i32 0, ptr %q
  br i1 %c, label %side, label %join
side:
  store i32 1, ptr %p
  br label %join
join:
  %p2 = getelementptr i32, ptr %p, i64 2
  store i32 1, ptr %p2
  ret void
}

; Ways that pass the same records are one path.
define void @same(ptr %p, i1 %c) {
entry:
  store i32 0, ptr %p
  br i1 %c, label %a, label %b
a:
  br label %join
b:
  br label %join
join:
  %v = phi i32 [1, %a], [2, %b]
  store i32 %v, ptr %p
  ret void
}

; Several edges between two blocks are one.
define void @choice(ptr %p, i32 %c) {
entry:
  store i32 0, ptr %p
  switch i32 %c, label %none [i32 0, label %a
                              i32 1, label %a
                              i32 2, label %b]
a:
  %p1 = getelementptr i32, ptr %p, i64 1
  store i32 0, ptr %p1
  br label %none
b:
  %p2 = getelementptr i32, ptr %p, i64 2
  store i32 0, ptr %p2
  ret void
none:
  ret void
}

; A round of a loop is a path of its own, the first one with what comes before. Nothing is derived from an earlier round.
define void @rounds(ptr %p, i32 %n) {
entry:
  store i32 0, ptr %p
  br label %head
head:
  %i = phi i32 [3, %entry], [%next, %body]
  %wide = sext i32 %i to i64
  %at = getelementptr i32, ptr %p, i64 %wide
  store i32 0, ptr %at
  %more = icmp slt i32 %i, %n
  br i1 %more, label %body, label %out
body:
  %next = add nsw i32 %i, 1
  %wide_next = sext i32 %next to i64
  %after = getelementptr i32, ptr %p, i64 %wide_next
  store i32 0, ptr %after
  br label %head
out:
  ret void
}

define void @early(ptr %p, i1 %c) {
entry:
  store i32 0, ptr %p
  br i1 %c, label %done, label %on
on:
  %p1 = getelementptr i32, ptr %p, i64 1
  store i32 0, ptr %p1
  br label %done
done:
  ret void
}

; The join lies on the paths that make no call, and begins those from behind the call.
define void @call_between(ptr %p, i1 %c) {
entry:
  store i32 0, ptr %p
  br i1 %c, label %calls, label %join
calls:
  call void @leaf(ptr %p)
  br label %join
join:
  %p5 = getelementptr i32, ptr %p, i64 5
  store i32 0, ptr %p5
  ret void
}

; Of eight regions that come to one place, six share it: the paths of the others end before.
define void @crowd(ptr %p, i32 %c) {
entry:
  store i32 0, ptr %p
  switch i32 %c, label %join [i32 0, label %c0
                              i32 1, label %c1
                              i32 2, label %c2
                              i32 3, label %c3
                              i32 4, label %c4
                              i32 5, label %c5
                              i32 6, label %c6]
c0:
  call void @leaf(ptr %p)
  %p1 = getelementptr i32, ptr %p, i64 1
  store i32 0, ptr %p1
  br label %join
c1:
  call void @leaf(ptr %p)
  %p2 = getelementptr i32, ptr %p, i64 2
  store i32 0, ptr %p2
  br label %join
c2:
  call void @leaf(ptr %p)
  %p3 = getelementptr i32, ptr %p, i64 3
  store i32 0, ptr %p3
  br label %join
c3:
  call void @leaf(ptr %p)
  %p4 = getelementptr i32, ptr %p, i64 4
  store i32 0, ptr %p4
  br label %join
c4:
  call void @leaf(ptr %p)
  %p5 = getelementptr i32, ptr %p, i64 5
  store i32 0, ptr %p5
  br label %join
c5:
  call void @leaf(ptr %p)
  %p6 = getelementptr i32, ptr %p, i64 6
  store i32 0, ptr %p6
  br label %join
c6:
  call void @leaf(ptr %p)
  %p7 = getelementptr i32, ptr %p, i64 7
  store i32 0, ptr %p7
  br label %join
join:
  %p15 = getelementptr i32, ptr %p, i64 15
  store i32 0, ptr %p15
  ret void
}

define void @unwound(ptr %p) personality ptr @__gcc_personality_v0 {
entry:
  store i32 0, ptr %p
  invoke void @leaf(ptr %p) to label %normal unwind label %pad
normal:
  %p1 = getelementptr i32, ptr %p, i64 1
  store i32 0, ptr %p1
  ret void
pad:
  %e = landingpad { ptr, i32 } cleanup
  store i32 0, ptr %p
  resume { ptr, i32 } %e
}

; An atomic ends its path.
define void @atomic(ptr %p) {
  store i32 0, ptr %p
  %p1 = getelementptr i32, ptr %p, i64 1
  %1 = atomicrmw add ptr %p1, i32 1 seq_cst
  %p2 = getelementptr i32, ptr %p, i64 2
  store i32 %1, ptr %p2
  ret void
}

; At most four slots per word of the stream, the header word included.
define void @many(ptr %p) {
  store [1 x i32] zeroinitializer, ptr %p
  %p1 = getelementptr i32, ptr %p, i64 1
  store i32 0, ptr %p1
  %p2 = getelementptr i32, ptr %p, i64 2
  store i32 0, ptr %p2
  %p3 = getelementptr i32, ptr %p, i64 3
  store i32 0, ptr %p3
  %p4 = getelementptr i32, ptr %p, i64 4
  store i32 0, ptr %p4
  %p5 = getelementptr i32, ptr %p, i64 5
  store i32 0, ptr %p5
  %p6 = getelementptr i32, ptr %p, i64 6
  store i32 0, ptr %p6
  %p7 = getelementptr i32, ptr %p, i64 7
  store i32 0, ptr %p7
  %p8 = getelementptr i32, ptr %p, i64 8
  store i32 0, ptr %p8
  %p9 = getelementptr i32, ptr %p, i64 9
  store i32 0, ptr %p9
  ret void
}

define i32 @main() {
  store i32 0, ptr @cells
  call void @diamond(ptr @cells, i64 7, i1 true)
  ; diamond 1/2 +1: 0 1' 2'
  call void @diamond(ptr @cells, i64 7, i1 false)
  ; diamond 0/2: 0 7 2'
  %q = getelementptr i32, ptr @cells, i64 9
  call void @one_way(ptr @cells, ptr %q, i1 true)
  ; one_way 0/2: 9 0 2
  call void @one_way(ptr @cells, ptr %q, i1 false)
  ; one_way 1/2 +1: 9 2
  call void @same(ptr @cells, i1 true)
  ; same 0/1: 0 0'
  call void @same(ptr @cells, i1 false)
  ; same 0/1: 0 0'
  call void @choice(ptr @cells, i32 0)
  ; choice 1/3: 0 1'
  call void @choice(ptr @cells, i32 1)
  ; choice 1/3: 0 1'
  call void @choice(ptr @cells, i32 2)
  ; choice 0/3: 0 2'
  call void @choice(ptr @cells, i32 3)
  ; choice 2/3: 0
  call void @rounds(ptr @cells, i32 5)
  ; rounds 1/2: 0 3 4'
  ; rounds 1/2: 4 5'
  ; rounds 0/2: 5
  call void @early(ptr @cells, i1 true)
  ; early 1/2: 0
  call void @early(ptr @cells, i1 false)
  ; early 0/2: 0 1'
  call void @call_between(ptr @cells, i1 false)
  ; call_between 1/2: 0 5
  call void @call_between(ptr @cells, i1 true)
  ; call_between 0/2: 0
  ; leaf 0/1: 31
  ; call_between 0/1: 5
  call void @crowd(ptr @cells, i32 7)
  ; crowd 1/2: 0 15
  call void @crowd(ptr @cells, i32 6)
  ; crowd 0/2: 0
  ; leaf 0/1: 31
  ; crowd 0/1: 7 15
  call void @crowd(ptr @cells, i32 0)
  ; crowd 0/2: 0
  ; leaf 0/1: 31
  ; crowd 0/1: 1
  ; crowd 0/1: 15
  call void @unwound(ptr @cells)
  ; unwound 0/1: 0
  ; leaf 0/1: 31
  ; unwound 0/1: 1
  call void @atomic(ptr @cells)
  ; atomic 0/1: 0 1'
  ; atomic 0/1: 2
  call void @many(ptr @cells)
  ; many 0/1: 0 1' 2' 3' 4' 5' 6' 7' 8 9'
  ret i32 0
}
