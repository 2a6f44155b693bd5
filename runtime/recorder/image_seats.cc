// Stage: recorder. What threads have handed over: finds it at their seats, and gives buffers back.
#include <algorithm>

#include "image.h"
#include "shared_word.h"

namespace dprof {
namespace {

// A thread that waits for a buffer sleeps until there are several, not to be woken for each.
bool half_are_free(const dprof_session_seat &seat) {
  uint32_t free = 0;
  for (const uint32_t &busy : seat.buffer_busy) free += !load_acquire(&busy);
  return free >= DPROF_SESSION_BUFFERS / 2;
}

} // namespace

bool Image::has_news(uint32_t seat) const {
  return load_acquire(&seats_[seat].pushed) != seats_[seat].popped ||
         load_acquire(&seats_[seat].state) == DPROF_SEAT_ENDED;
}

Image::Visit Image::visit_of(uint32_t seat) {
  const bool logged = load_acquire(&seats_[seat].pushed) != seats_[seat].popped;
  if (logged) return {this, seat, &stream_of(seat)};
  const auto found = streams_.find(seat);
  return {this, seat, found == streams_.end() ? nullptr : &found->second};
}

bool Image::announce(std::vector<Visit> &visits) {
  const size_t before = visits.size();
  const bool any = read_modules();
  for (uint32_t seat = 0, n = seats(); seat < n; seat++)
    if (has_news(seat)) visits.push_back(visit_of(seat));
  return any || visits.size() > before;
}

void Image::take(Visit &visit, ChunkTurns *turns, size_t turn) {
  const uint32_t index = visit.seat;
  dprof_session_seat *seat = &seats_[index];
  visit.ended = load_acquire(&seat->state) == DPROF_SEAT_ENDED; // before the last look at the pieces
  if (!visit.stream) return;
  Stream &stream = *visit.stream;
  stream.turns = turns;
  stream.turn = turn;
  uint32_t pushed = load_acquire(&seat->pushed), popped = seat->popped;
  if (pushed - popped > DPROF_SESSION_PIECES) popped = pushed - DPROF_SESSION_PIECES;
  for (; popped != pushed; popped++) {
    dprof_session_piece piece = seat->pieces[popped % DPROF_SESSION_PIECES];
    bool sound =
        piece.buffer < DPROF_SESSION_BUFFERS && piece.begin <= piece.end && piece.end <= DPROF_SESSION_BUFFER_WORDS;
    if (sound) {
      uint32_t begin = unread_from(stream, piece.buffer, piece.flags >> 1, piece.begin);
      if (begin < piece.end) encode(stream, buffer(index, piece.buffer) + begin, piece.end - begin);
      stream.read[piece.buffer] = {piece.flags >> 1, std::max(begin, piece.end)};
    }
    if (sound && piece.flags & DPROF_PIECE_LAST) store_release(&seat->buffer_busy[piece.buffer], 0u);
    bool was_full = load_acquire(&seat->pushed) - popped >= DPROF_SESSION_PIECES;
    store_release(&seat->popped, popped + 1);
    if (was_full || popped + 1 == load_acquire(&seat->pushed) || half_are_free(*seat)) wake(&seat->returned);
  }
  if (visit.ended) put_last(index, stream);
  stream.turns = nullptr;
}

void Image::note_read(const Stream &stream) {
  if (!stream.broken) quiet_rounds_ = 0;
  if (stream.encoder && stream.encoder->segments() > 0) keep();
}

void Image::conclude(const Visit &visit) {
  if (visit.stream) note_read(*visit.stream);
  if (!visit.ended) return;
  end_stream(visit.seat);
  store_release<uint32_t>(&seats_[visit.seat].state, DPROF_SEAT_FREE);
}

void Image::drain_seat(uint32_t seat) {
  if (!has_news(seat)) return;
  Visit visit = visit_of(seat);
  take(visit);
  conclude(visit);
}

// Drains what a dead thread had not handed over: from the last piece's end to the first zero header.
void Image::drain_current(uint32_t index) {
  dprof_session_seat *seat = &seats_[index];
  uint32_t number = seat->current_buffer, begin = seat->current_begin;
  if (seat->state != DPROF_SEAT_LIVE || number >= DPROF_SESSION_BUFFERS || begin >= DPROF_SESSION_BUFFER_WORDS) return;
  if (seat->pushed) {
    const dprof_session_piece &last = seat->pieces[(seat->pushed - 1) % DPROF_SESSION_PIECES];
    if (last.flags >> 1 == seat->current_taking && last.buffer == number) {
      if (last.flags & DPROF_PIECE_LAST) return;
      begin = std::max(begin, std::min(last.end, DPROF_SESSION_BUFFER_WORDS));
    }
  }
  Stream &stream = stream_of(index);
  begin = unread_from(stream, number, seat->current_taking, begin);
  encode(stream, buffer(index, number) + begin, DPROF_SESSION_BUFFER_WORDS - begin);
  note_read(stream);
}

} // namespace dprof
