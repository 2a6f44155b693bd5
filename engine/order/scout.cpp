// Stage: replay. Events columns alone, chunk by chunk.
#include "order/scout.h"

namespace dprof {

/// Whether the decoder will find an event first: no run of predicted steps, then an operation byte that says event.
static bool beginsWithEvent(Cursor control) { return control.varint() == 0 && control.byte() == 2; }

Scout::Scout(const TraceFile &file, const ThreadChunks &chunks)
    : file_(fileOf(chunks, file)), chunks_(chunks), space_(chunks) {
  find();
  if (!isDry_) reader_.reset();
}

/// Finds the next stamped event. Without a reader it starts at the beginning, and passes the event that was found
/// first.
void Scout::findFar() {
  named(chunks_, [&] { findNext(); });
}

void Scout::findNext() {
  bool isFirst = next_.code == 0, again = !reader_ && !isFirst;
  isDry_ = false;
  if (!reader_) reader_ = std::make_unique<Reader>();
  Reader &reader = *reader_;
  for (beginsWithNext_ = false;; beginsWithNext_ = false) {
    while (reader.left == 0) {
      if (reader.chunk == chunks_.offset.size()) {
        if ((isDry_ = chunks_.outlook.isOpen)) return;
        atEnd_ = true;
        reader_.reset();
        return;
      }
      bool opening = isFirst && reader.chunk == 0;
      ChunkHead head =
          reader.columns.load(file_, chunks_.offset[reader.chunk], chunks_.bytes[reader.chunk], opening ? 0 : 2);
      beginsWithNext_ = opening && head.steps && beginsWithEvent(reader.columns.cursor[0]);
      reader.left = head.events;
      reader.events.restart(reader.columns.cursor[2]);
      reader.chunk++;
    }
    reader.left--;
    Event event;
    reader.events.next(event);
    if (!hasStamp(event.code)) continue;
    space_.place(event);
    if (!again) {
      next_ = event;
      next_.text = nullptr; // the reader's
      return;
    }
    again = false;
  }
}

/// Looks into the last chunk alone. What is wrong there is found when its turn comes.
static uint64_t endStampOf(const TraceFile &file, const ThreadChunks &chunks) {
  if (chunks.offset.empty()) return Scout::NO_STAMP;
  try {
    ChunkColumns columns;
    EventReader events;
    Event last = {};
    uint32_t left = columns.load(file, chunks.offset.back(), chunks.bytes.back(), 2).events;
    for (events.restart(columns.cursor[2]); left; left--) events.next(last);
    return last.code == DPROF_EVENT_THREAD_END ? last.stamp : Scout::NO_STAMP;
  } catch (const TraceError &) {
    return Scout::NO_STAMP;
  }
}

uint64_t Scout::endStamp() {
  if (!endStamp_) endStamp_ = endStampOf(file_, chunks_);
  return *endStamp_;
}

} // namespace dprof
