//! Criterion's loops, counted per iteration by `dprof check`: as `iterations.h` does for C++, the first iterations of the
//! process warm the caches, the next are counted, and what comes behind them is not recorded. A benchmark has this module
//! in place of the crate where it is compiled with `--cfg dprof`, and links by dprof-cc (docs/check.md, "Benchmarks"):
//!
//!     #[cfg(dprof)]
//!     #[path = "/usr/lib/dprof/runtime/include/dprof/criterion.rs"]
//!     mod dprof;
//!     #[cfg(dprof)]
//!     use dprof::{black_box, criterion_group, criterion_main, Criterion};
//!     #[cfg(not(dprof))]
//!     use criterion::{black_box, criterion_group, criterion_main, Criterion};
//!
//! Of the benchmarks whose name has the first argument in it (`--exact`: is it) the first one runs, on one thread. What
//! only matters to a measurement of time (sample sizes, throughput, plots) is taken and does nothing.

#![allow(dead_code, unused_imports, unused_macros)]

use std::fmt::Display;
use std::time::Duration;

/// Iterations that warm the caches.
pub const WARM_UP: usize = 10;
/// Iterations that are counted.
pub const COUNTED: usize = 100;

extern "C" {
    fn __dprof_mark(phase: *const u8);
    fn __dprof_stop();
}

/// `phase` ends in `\0`.
fn mark(phase: &'static str) {
    unsafe { __dprof_mark(phase.as_ptr()) }
}

/// A value that the optimiser must have in memory, and knows nothing of.
pub fn black_box<T>(value: T) -> T {
    unsafe { std::arch::asm!("/* {0} */", in(reg) &value, options(nostack, preserves_flags)) };
    value
}

pub struct Bencher {
    _of_criterion: (),
}

impl Bencher {
    /// What an iteration makes is dropped within it, as by Criterion.
    pub fn iter<O, R: FnMut() -> O>(&mut self, mut routine: R) {
        run([(); WARM_UP + COUNTED], |()| drop(black_box(routine())));
    }

    /// What iterations make is dropped behind the last.
    pub fn iter_with_large_drop<O, R: FnMut() -> O>(&mut self, mut routine: R) {
        keep([(); WARM_UP + COUNTED], |()| routine());
    }

    /// All inputs are made before the first iteration, and outputs dropped behind the last.
    pub fn iter_batched<I, O, S: FnMut() -> I, R: FnMut(I) -> O>(&mut self, mut setup: S, routine: R, _: BatchSize) {
        let inputs: Vec<I> = (0..WARM_UP + COUNTED).map(|_| setup()).collect();
        keep(inputs, routine);
    }

    pub fn iter_batched_ref<I, O, S: FnMut() -> I, R: FnMut(&mut I) -> O>(
        &mut self,
        mut setup: S,
        routine: R,
        _: BatchSize,
    ) {
        let mut inputs: Vec<I> = (0..WARM_UP + COUNTED).map(|_| setup()).collect();
        keep(inputs.iter_mut(), routine);
    }
}

fn keep<I, O>(inputs: impl IntoIterator<Item = I>, mut routine: impl FnMut(I) -> O) {
    let mut outputs = Vec::with_capacity(WARM_UP + COUNTED);
    run(inputs, |input| outputs.push(black_box(routine(input))));
}

fn run<I>(inputs: impl IntoIterator<Item = I>, mut iteration: impl FnMut(I)) {
    for (at, input) in inputs.into_iter().enumerate() {
        if at == WARM_UP {
            mark("benchmark\0");
        }
        if at >= WARM_UP {
            mark("iteration\0");
        }
        iteration(input);
    }
    mark("benchmark end\0");
    unsafe { __dprof_stop() };
}

#[derive(Clone, Copy)]
pub enum BatchSize {
    SmallInput,
    LargeInput,
    PerIteration,
    NumBatches(u64),
    NumIterations(u64),
}

#[derive(Clone)]
pub enum Throughput {
    Bytes(u64),
    Elements(u64),
}

/// "FUNCTION/PARAMETER", as Criterion names it.
pub struct BenchmarkId {
    name: String,
}

impl BenchmarkId {
    pub fn new<S: Into<String>, P: Display>(function: S, parameter: P) -> Self {
        BenchmarkId { name: format!("{}/{}", function.into(), parameter) }
    }

    pub fn from_parameter<P: Display>(parameter: P) -> Self {
        BenchmarkId { name: parameter.to_string() }
    }
}

impl<S: Into<String>> From<S> for BenchmarkId {
    fn from(name: S) -> Self {
        BenchmarkId { name: name.into() }
    }
}

pub struct Criterion {
    asked: Option<String>,
    is_exact: bool,
    has_run: bool,
}

/// Options of Criterion whose value is a word of its own.
const WITH_VALUE: [&str; 19] = [
    "-c", "--color", "-s", "--save-baseline", "-b", "--baseline", "--baseline-lenient", "--load-baseline",
    "--sample-size", "--warm-up-time", "--measurement-time", "--nresamples", "--noise-threshold", "--confidence-level",
    "--significance-level", "--profile-time", "--plotting-backend", "--output-format", "--format",
];

/// The first word that is no option, and no value of one.
fn filter_of(words: &[String]) -> Option<String> {
    let is_value = |at: usize| at > 0 && WITH_VALUE.contains(&words[at - 1].as_str());
    (0..words.len()).find(|&at| !words[at].starts_with('-') && !is_value(at)).map(|at| words[at].clone())
}

impl Default for Criterion {
    fn default() -> Self {
        let words: Vec<String> = std::env::args().skip(1).collect();
        Criterion {
            asked: filter_of(&words),
            is_exact: words.iter().any(|word| word == "--exact"),
            has_run: false,
        }
    }
}

impl Criterion {
    pub fn bench_function<N: Into<BenchmarkId>, F: FnMut(&mut Bencher)>(&mut self, name: N, mut benchmark: F) -> &mut Self {
        let BenchmarkId { name } = name.into();
        let is_asked = match &self.asked {
            None => true,
            Some(asked) => name == *asked || !self.is_exact && name.contains(asked.as_str()),
        };
        if is_asked && !self.has_run {
            self.has_run = true;
            benchmark(&mut Bencher { _of_criterion: () });
            println!("{}: {} iterations are counted, behind {}", name, COUNTED, WARM_UP);
        }
        self
    }

    pub fn bench_with_input<I: ?Sized, F: FnMut(&mut Bencher, &I)>(
        &mut self,
        name: BenchmarkId,
        input: &I,
        mut benchmark: F,
    ) -> &mut Self {
        self.bench_function(name, |bencher| benchmark(bencher, input))
    }

    pub fn benchmark_group<S: Into<String>>(&mut self, name: S) -> BenchmarkGroup<'_> {
        BenchmarkGroup { criterion: self, name: name.into() }
    }

    pub fn configure_from_args(self) -> Self {
        self
    }

    pub fn sample_size(self, _: usize) -> Self {
        self
    }

    pub fn warm_up_time(self, _: Duration) -> Self {
        self
    }

    pub fn measurement_time(self, _: Duration) -> Self {
        self
    }

    pub fn final_summary(&self) {}
}

pub struct BenchmarkGroup<'a> {
    criterion: &'a mut Criterion,
    name: String,
}

impl BenchmarkGroup<'_> {
    pub fn bench_function<N: Into<BenchmarkId>, F: FnMut(&mut Bencher)>(&mut self, name: N, benchmark: F) -> &mut Self {
        self.criterion.bench_function(format!("{}/{}", self.name, name.into().name), benchmark);
        self
    }

    pub fn bench_with_input<N: Into<BenchmarkId>, I: ?Sized, F: FnMut(&mut Bencher, &I)>(
        &mut self,
        name: N,
        input: &I,
        mut benchmark: F,
    ) -> &mut Self {
        self.bench_function(name, |bencher| benchmark(bencher, input))
    }

    pub fn throughput(&mut self, _: Throughput) -> &mut Self {
        self
    }

    pub fn sample_size(&mut self, _: usize) -> &mut Self {
        self
    }

    pub fn warm_up_time(&mut self, _: Duration) -> &mut Self {
        self
    }

    pub fn measurement_time(&mut self, _: Duration) -> &mut Self {
        self
    }

    pub fn finish(self) {}
}

macro_rules! criterion_group {
    (name = $name:ident; config = $config:expr; targets = $($target:path),+ $(,)?) => {
        pub fn $name(criterion: &mut $crate::dprof::Criterion) {
            let _ = $config;
            $($target(criterion);)+
        }
    };
    ($name:ident, $($target:path),+ $(,)?) => {
        pub fn $name(criterion: &mut $crate::dprof::Criterion) {
            $($target(criterion);)+
        }
    };
}
pub(crate) use criterion_group;

macro_rules! criterion_main {
    ($($group:path),+ $(,)?) => {
        fn main() {
            let mut criterion = $crate::dprof::Criterion::default();
            $($group(&mut criterion);)+
        }
    };
}
pub(crate) use criterion_main;
