// Stage: tests of the plugin. What the runtime's own measure.cc asks: the double always records.
namespace dprof {
extern bool recording;
bool recording = true;
} // namespace dprof
