// The same sums as Criterion's benchmarks.
#[cfg(dprof)]
#[path = "../../../runtime/include/dprof/criterion.rs"]
mod dprof;
use dprof::{black_box, criterion_group, criterion_main, BatchSize, BenchmarkId, Criterion};

#[repr(align(64))]
#[derive(Clone, Copy)]
struct Row {
    value: u64,
}

static ROWS: [Row; 1024] = [Row { value: 1 }; 1024];

#[inline(never)]
fn sum(rows: &[Row]) -> u64 {
    let mut total = 0;
    for row in rows {
        total += unsafe { std::ptr::read_volatile(&row.value) };
    }
    total
}

fn sums(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("sum");
    for lines in [4, 1024] {
        group.bench_with_input(BenchmarkId::from_parameter(lines), &lines, |bencher, &lines| {
            bencher.iter(|| sum(black_box(&ROWS[..lines])))
        });
    }
    group.finish();
    criterion.bench_function("batched", |bencher| {
        bencher.iter_batched(|| &ROWS[..1024], |rows| sum(rows), BatchSize::SmallInput)
    });
}

criterion_group!(benches, sums);
criterion_main!(benches);
