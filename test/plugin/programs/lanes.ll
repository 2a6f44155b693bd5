; Vector, masked and gathered accesses, as the vectoriser writes them. Behind each: its event.
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

@data = global [16 x i32] zeroinitializer, align 16
@mask = global <4 x i1> <i1 1, i1 0, i1 1, i1 1>

declare <4 x i32> @llvm.masked.load.v4i32.p0(ptr, i32, <4 x i1>, <4 x i32>)
declare void @llvm.masked.store.v4i32.p0(<4 x i32>, ptr, i32, <4 x i1>)
declare <4 x i32> @llvm.masked.gather.v4i32.v4p0(<4 x ptr>, i32, <4 x i1>, <4 x i32>)
declare void @llvm.masked.scatter.v4i32.v4p0(<4 x i32>, <4 x ptr>, i32, <4 x i1>)
declare <4 x i32> @llvm.masked.expandload.v4i32(ptr, <4 x i1>, <4 x i32>)
declare void @llvm.masked.compressstore.v4i32(<4 x i32>, ptr, <4 x i1>)

define i32 @main() noinline optnone {
  %m = load volatile <4 x i1>, ptr @mask
  ; load 1
  %v = load volatile <4 x i32>, ptr @data
  ; load 16
  %a = call <4 x i32> @llvm.masked.load.v4i32.p0(ptr @data, i32 16, <4 x i1> %m, <4 x i32> %v)
  ; masked-load mask=d 4
  call void @llvm.masked.store.v4i32.p0(<4 x i32> %v, ptr @data, i32 16, <4 x i1> %m)
  ; masked-store mask=d 4
  store volatile <4 x i32> %a, ptr @data
  ; store 16
  %p = getelementptr i32, ptr @data, <4 x i64> <i64 3, i64 1, i64 9, i64 0>
  %g = call <4 x i32> @llvm.masked.gather.v4i32.v4p0(<4 x ptr> %p, i32 4, <4 x i1> %m, <4 x i32> %a)
  ; gather lanes=3/4 4
  call void @llvm.masked.scatter.v4i32.v4p0(<4 x i32> %g, <4 x ptr> %p, i32 4, <4 x i1> %m)
  ; scatter lanes=3/4 4
  %e = call <4 x i32> @llvm.masked.expandload.v4i32(ptr @data, <4 x i1> %m, <4 x i32> %v)
  ; masked-load mask=7 4
  call void @llvm.masked.compressstore.v4i32(<4 x i32> %e, ptr @data, <4 x i1> %m)
  ; masked-store mask=7 4
  store volatile <4 x i32> %e, ptr @data
  ; store 16
  ret i32 0
}
