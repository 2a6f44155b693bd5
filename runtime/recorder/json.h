// Stage: recorder, collectors. A JSON value that is put together piece by piece; members stay in the order in which
// they were added. nlohmann's library holds and writes it. The library compiles slowly, so json.cc alone includes it.
#pragma once

#include <stdint.h>

#include <concepts>
#include <initializer_list>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace dprof {

class Json {
public:
  struct Member;

  Json(std::nullptr_t = nullptr);
  Json(const char *text);
  Json(const std::string &text);
  Json(std::floating_point auto number) : Json(of_real(number)) {}
  template <std::integral Number>
    requires(!std::same_as<Number, bool>)
  Json(Number number) : Json(number < 0 ? of_negative((int64_t)number) : of_number((uint64_t)number)) {}
  template <std::same_as<bool> Truth> Json(Truth is_true) : Json(of_truth(is_true)) {}
  Json(Json &&) noexcept;
  Json(const Json &);
  Json &operator=(Json) noexcept;
  ~Json();

  // Numbers as text, so that readers keep all 64 bits.
  static Json decimal(uint64_t number) { return std::to_string(number); }
  static Json hexadecimal(uint64_t number);

  // An object.
  Json(std::initializer_list<Member> members);
  static Json object() { return Json(std::initializer_list<Member>{}); }
  // A map's entries, in its order.
  static Json object(const auto &entries) {
    Json made = object();
    for (const auto &[name, value] : entries) made.add(name, value);
    return made;
  }
  void add(const std::string &name, Json value);

  static Json list();
  // What `describe` makes of each entry.
  template <typename Entries, typename Describe> static Json list(const Entries &entries, Describe describe) {
    Json made = list();
    for (const auto &entry : entries) made.append(describe(entry));
    return made;
  }
  template <typename Entries> static Json list(const Entries &entries) {
    return list(entries, [](const auto &entry) { return Json(entry); });
  }
  void append(Json value);

  // On one line, without blanks. What is not UTF-8 becomes U+FFFD.
  std::string text() const;

private:
  static Json of_truth(bool is_true);
  static Json of_real(double number);
  static Json of_number(uint64_t number);
  static Json of_negative(int64_t number);

  std::unique_ptr<nlohmann::ordered_json> value_;
};

struct Json::Member {
  std::string name;
  mutable Json value; // an initializer list is read only; the object takes its values
};

} // namespace dprof
