// Seals and opens SFrame frames with cisco/sframe, for comparison with the SFrame module. README.md has the commands to build it.
//
// frames seal         writes frames.json to standard output
// frames open < FILE  opens the frames of a file of that form; exit status 1 if one does not open to its plaintext, or opens after a change
#include <cstdint>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>
#include <openssl/sha.h>
#include <sframe/sframe.h>

using nlohmann::json;
using Bytes = std::vector<uint8_t>;

// Longer frames are written as their SHA-256, which keeps the file small.
static constexpr size_t longest_in_full = 1200;

static std::string
to_hex(sframe::input_bytes bytes)
{
  static const char digits[] = "0123456789abcdef";
  std::string text;
  for (auto byte : bytes) {
    text += digits[byte >> 4];
    text += digits[byte & 15];
  }
  return text;
}

static Bytes
from_hex(const std::string& text)
{
  Bytes bytes;
  for (size_t i = 0; i + 1 < text.size(); i += 2) {
    bytes.push_back(uint8_t(std::stoi(text.substr(i, 2), nullptr, 16)));
  }
  return bytes;
}

// The plaintext of a frame follows from two numbers, so that the file need not contain it.
static Bytes
plaintext(size_t length, uint8_t seed)
{
  Bytes bytes(length);
  for (size_t i = 0; i < length; i += 1) {
    bytes[i] = uint8_t(seed + 31 * i + 17 * (i / 256));
  }
  return bytes;
}

// A key and the frames that were sealed under it.
class Sender
{
public:
  Sender(unsigned suite, uint64_t key_id_in, size_t key_length)
    : context(sframe::CipherSuite(suite))
    , key_id(key_id_in)
  {
    const auto base_key = plaintext(key_length, uint8_t(0xb0 + suite));
    context.add_key(key_id, sframe::KeyUsage::protect, base_key).unwrap();
    head = { { "suite", suite }, { "keyID", key_id }, { "baseKey", to_hex(base_key) } };
  }

  void seal(size_t length, const Bytes& metadata)
  {
    const auto seed = uint8_t(7 * counter + key_id);
    const auto frame = plaintext(length, seed);
    Bytes output(length + sframe::Context::max_overhead);
    const auto sealed = context.protect(key_id, output, frame, metadata).unwrap();
    json entry = { { "counter", counter }, { "length", length }, { "seed", seed }, { "metadata", to_hex(metadata) } };
    if (length <= longest_in_full) {
      entry["sealed"] = to_hex(sealed);
    } else {
      Bytes digest(SHA256_DIGEST_LENGTH);
      SHA256(sealed.data(), sealed.size(), digest.data());
      entry["sha256"] = to_hex(digest);
    }
    frames.push_back(entry.dump());
    counter += 1;
  }

  // The implementation has no other way to choose a counter than to use up the lower ones.
  void advance(uint64_t next)
  {
    Bytes output(sframe::Context::max_overhead);
    for (; counter < next; counter += 1) {
      context.protect(key_id, output, Bytes(), Bytes()).unwrap();
    }
  }

  std::string text() const
  {
    auto text = head.dump();
    text.back() = ',';
    text += "\"frames\":[";
    for (const auto& frame : frames) {
      text += (&frame == &frames.front() ? "\n" : ",\n") + frame;
    }
    return text + "]}";
  }

private:
  sframe::Context context;
  uint64_t key_id;
  uint64_t counter = 0;
  json head;
  std::vector<std::string> frames;
};

static void
seal()
{
  // Base keys may have any length.
  const std::vector<std::pair<unsigned, size_t>> suites = { { 1, 16 }, { 2, 1 }, { 3, 48 }, { 4, 32 }, { 5, 64 } };
  const std::vector<uint64_t> key_ids = { 0, 7, 8, 255, uint64_t(1) << 32, uint64_t(1) << 63 };
  const Bytes metadata = { 0x4d, 0x65, 0x74, 0x61, 0x00, 0xff };
  std::vector<std::string> senders;
  for (const auto& [suite, key_length] : suites) {
    auto with_metadata = true;
    for (const auto key_id : key_ids) {
      auto sender = Sender(suite, key_id, key_length);
      for (const auto length : { 0, 1, 15, 16, 17 }) {
        sender.seal(length, Bytes());
        sender.seal(length, metadata);
      }
      sender.seal(1200, with_metadata ? metadata : Bytes());
      sender.seal(20000, with_metadata ? Bytes() : metadata);
      with_metadata = !with_metadata;
      if (key_id == 255) {
        for (const auto counter : { 255, 256, 65535, 65536 }) {
          sender.advance(counter);
          sender.seal(17, metadata);
        }
      }
      senders.push_back(sender.text());
    }

    // The form of this project's frames (docs/encryption.md): key ids of seven bytes; version, kind and clear prefix as metadata.
    auto sender = Sender(suite, (uint64_t(3) << 48) | 0x123456789a, key_length);
    for (const auto length : { 0, 1, 16, 80 }) {
      sender.seal(length, { 1, 0 });
      sender.seal(length, { 1, 1, 0x31, 2, 3 });
      sender.seal(length, { 1, 1, 0x10, 2, 3, 0x9d, 0x01, 0x2a, 0x80, 2, 0x68, 1 });
    }
    senders.push_back(sender.text());
  }
  std::cout << "{\"senders\":[";
  for (const auto& sender : senders) {
    std::cout << (&sender == &senders.front() ? "\n" : ",\n") << sender;
  }
  std::cout << "\n]}\n";
}

static bool
opens(sframe::Context& context, const Bytes& sealed, const Bytes& metadata, const Bytes& expected)
{
  Bytes output(sealed.size());
  auto result = context.unprotect(output, sealed, metadata);
  if (result.is_err()) {
    return false;
  }
  const auto opened = result.unwrap();
  return Bytes(opened.begin(), opened.end()) == expected;
}

static int
open()
{
  size_t right = 0, refused = 0, skipped = 0, all = 0;
  const auto file = json::parse(std::cin);
  for (const auto& sender : file.at("senders")) {
    const auto suite = sframe::CipherSuite(sender.at("suite").get<unsigned>());
    auto context = sframe::Context(suite);
    const auto key_id = sender.at("keyID").get<uint64_t>();
    context.add_key(key_id, sframe::KeyUsage::unprotect, from_hex(sender.at("baseKey"))).unwrap();
    for (const auto& frame : sender.at("frames")) {
      if (!frame.contains("sealed")) {
        skipped += 1;
        continue;
      }
      all += 1;
      auto sealed = from_hex(frame.at("sealed"));
      auto metadata = from_hex(frame.at("metadata"));
      const auto expected = plaintext(frame.at("length"), frame.at("seed"));
      if (opens(context, sealed, metadata, expected)) {
        right += 1;
      } else {
        std::cout << "not opened: suite " << unsigned(suite) << ", key id " << key_id << ", counter "
                  << frame.at("counter") << "\n";
      }
      metadata.push_back(0);
      const auto is_bound = !opens(context, sealed, metadata, expected);
      metadata.pop_back();
      sealed.back() ^= 1;
      refused += is_bound && !opens(context, sealed, metadata, expected);
    }
  }
  std::cout << right << " of " << all << " frames opened, " << refused << " refused with other metadata or another tag, "
            << skipped << " without bytes skipped\n";
  return all > 0 && right == all && refused == all ? 0 : 1;
}

int
main(int count, char** arguments)
{
  const auto command = std::string(count == 2 ? arguments[1] : "");
  if (command == "seal") {
    seal();
    return 0;
  }
  if (command == "open") {
    return open();
  }
  std::cerr << "usage: frames seal | frames open < FILE\n";
  return 2;
}
