#include "sampled_program.h"
#include <stdio.h>
namespace dprof {
struct SampledProgram::State { FILE *f; };
SampledProgram::SampledProgram(const Wishes &) : state_(new State{fopen("/tmp/sampler-stub.txt","w")}) {}
SampledProgram::~SampledProgram() { fclose(state_->f); }
int SampledProgram::create() { return 0; }
std::vector<EnvironmentEntry> SampledProgram::environment(const std::string &) const { return {}; }
void SampledProgram::come(pid_t p) { fprintf(state_->f, "come %d\n", p); }
void SampledProgram::poll() {}
void SampledProgram::add(const Sample &s) { fprintf(state_->f, "%lu %u/%u cpu %u ev %u ip %lx addr %lx period %lu\n", s.time_ns, s.pid, s.tid, s.cpu, s.event, s.ip, s.address, s.period); }
void SampledProgram::settle(uint64_t) {}
void SampledProgram::mapped() {}
bool SampledProgram::program_came() const { return true; }
}
