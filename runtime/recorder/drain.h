// Stage: recorder. One look at all seats of some images: what their threads have handed over is encoded, by several
// threads where there are processors for them, and reaches the writer as if one had done it.
#pragma once

#include <vector>

#include "chunk_writer.h"
#include "encoder_crew.h"
#include "image.h"

namespace dprof {

class Drain {
public:
  Drain(ChunkWriter &writer, unsigned most_encoders) : writer_(writer), crew_(most_encoders) {}

  // False if there was nothing.
  bool run(const std::vector<Image *> &images);

private:
  ChunkWriter &writer_;
  EncoderCrew crew_;
  std::vector<Image::Visit> visits_;
};

} // namespace dprof
