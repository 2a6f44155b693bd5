// Stage: recorder, collectors. JSON by nlohmann's library.
#include "json.h"

#include <stdio.h>

#include <nlohmann/json.hpp>
#include <utility>

namespace dprof {

using nlohmann::ordered_json;

Json::Json(std::nullptr_t) : value_(std::make_unique<ordered_json>()) {}
Json::Json(const char *text) : value_(std::make_unique<ordered_json>(text)) {}
Json::Json(const std::string &text) : value_(std::make_unique<ordered_json>(text)) {}
Json::Json(Json &&other) noexcept = default;
Json::Json(const Json &other) : value_(std::make_unique<ordered_json>(*other.value_)) {}
Json &Json::operator=(Json other) noexcept {
  value_ = std::move(other.value_);
  return *this;
}
Json::~Json() = default;

Json Json::of_truth(bool is_true) {
  Json made;
  *made.value_ = is_true;
  return made;
}

Json Json::of_real(double number) {
  Json made;
  *made.value_ = number;
  return made;
}

Json Json::of_number(uint64_t number) {
  Json made;
  *made.value_ = number;
  return made;
}

Json Json::of_negative(int64_t number) {
  Json made;
  *made.value_ = number;
  return made;
}

Json Json::hexadecimal(uint64_t number) {
  char digits[24];
  snprintf(digits, sizeof digits, "0x%llx", (unsigned long long)number);
  return digits;
}

Json::Json(std::initializer_list<Member> members) : value_(std::make_unique<ordered_json>(ordered_json::object())) {
  for (const Member &member : members) add(member.name, std::move(member.value));
}

void Json::add(const std::string &name, Json value) { (*value_)[name] = std::move(*value.value_); }

Json Json::list() {
  Json made;
  *made.value_ = ordered_json::array();
  return made;
}

void Json::append(Json value) { value_->push_back(std::move(*value.value_)); }

std::string Json::text() const { return value_->dump(-1, ' ', false, ordered_json::error_handler_t::replace); }

} // namespace dprof
