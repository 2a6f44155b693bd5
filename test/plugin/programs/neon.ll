; Accesses of aarch64's own intrinsics: 32 bytes read, 4 of one lane of four vectors, 48 written; an exclusive access is
; left out.
target datalayout = "e-m:e-i8:8:32-i16:16:32-i64:64-i128:128-n32:64-S128-Fn32"
target triple = "aarch64-linux-gnu"

define void @vectors(ptr %from, ptr %to, <16 x i8> %v) {
  %two = call { <16 x i8>, <16 x i8> } @llvm.aarch64.neon.ld2.v16i8.p0(ptr %from)
  %a = extractvalue { <16 x i8>, <16 x i8> } %two, 0
  %four = call { <16 x i8>, <16 x i8>, <16 x i8>, <16 x i8> } @llvm.aarch64.neon.ld4lane.v16i8.p0(<16 x i8> %v, <16 x i8> %v, <16 x i8> %v, <16 x i8> %v, i64 3, ptr %from)
  %b = extractvalue { <16 x i8>, <16 x i8>, <16 x i8>, <16 x i8> } %four, 3
  call void @llvm.aarch64.neon.st3.v16i8.p0(<16 x i8> %a, <16 x i8> %b, <16 x i8> %v, ptr %to)
  %c = call i64 @llvm.aarch64.ldxr.p0(ptr elementtype(i64) %from)
  ret void
}

declare { <16 x i8>, <16 x i8> } @llvm.aarch64.neon.ld2.v16i8.p0(ptr)
declare { <16 x i8>, <16 x i8>, <16 x i8>, <16 x i8> } @llvm.aarch64.neon.ld4lane.v16i8.p0(<16 x i8>, <16 x i8>, <16 x i8>, <16 x i8>, i64, ptr)
declare void @llvm.aarch64.neon.st3.v16i8.p0(<16 x i8>, <16 x i8>, <16 x i8>, ptr)
declare i64 @llvm.aarch64.ldxr.p0(ptr)
