// Stage: compiler wrapper. Arguments with @files in them -> the arguments that clang sees.
#include "response_file.h"

#include <fstream>
#include <iterator>
#include <optional>

namespace dprof {

namespace {

constexpr unsigned deepest = 32; // a file that names itself

bool isBlank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v'; }

std::optional<std::string> read(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  std::string text{std::istreambuf_iterator<char>(file), {}};
  if (file.bad()) return std::nullopt;
  return text;
}

void expand(const std::vector<std::string> &arguments, unsigned depth, std::vector<std::string> &expanded) {
  for (const std::string &argument : arguments) {
    std::optional<std::string> text;
    if (argument.size() > 1 && argument[0] == '@' && depth < deepest) text = read(argument.substr(1));
    if (text)
      expand(tokenize(*text), depth + 1, expanded);
    else
      expanded.push_back(argument);
  }
}

} // namespace

std::vector<std::string> tokenize(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  bool inWord = false;
  char quote = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == '\\' && quote != '\'' && i + 1 < text.size()) {
      word += text[++i];
      inWord = true;
    } else if (quote) {
      if (c == quote)
        quote = 0;
      else
        word += c;
    } else if (c == '"' || c == '\'') {
      quote = c;
      inWord = true;
    } else if (!isBlank(c)) {
      word += c;
      inWord = true;
    } else if (inWord) {
      words.push_back(std::move(word));
      word.clear();
      inWord = false;
    }
  }
  if (inWord) words.push_back(std::move(word));
  return words;
}

std::vector<std::string> expandResponseFiles(const std::vector<std::string> &arguments) {
  std::vector<std::string> expanded;
  expand(arguments, 0, expanded);
  return expanded;
}

} // namespace dprof
