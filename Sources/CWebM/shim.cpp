#include "CWebM.h"

#include <webm/callback.h>
#include <webm/reader.h>
#include <webm/status.h>
#include <webm/webm_parser.h>

#include <algorithm>
#include <new>
#include <vector>

namespace {

// A larger frame is treated as damage: VP8 frames are far smaller.
constexpr std::uint64_t kMaximumFrame = 64u << 20;
// Maximum size of strings and binaries, which libwebm reads into memory whole.
constexpr std::uint64_t kMaximumLeaf = 1u << 20;

constexpr std::int32_t kPausedCode = 1, kReadFailedCode = 2, kRefusedCode = 3;

class SourceReader final : public webm::Reader {
  public:
    explicit SourceReader(const millrace_webm_callbacks &callbacks) : callbacks_(callbacks) {}

    webm::Status Read(std::size_t count, std::uint8_t *buffer, std::uint64_t *got) override {
        const std::int64_t n = callbacks_.read(callbacks_.context, buffer, count);
        *got = n > 0 ? static_cast<std::uint64_t>(n) : 0;
        if (n < 0) return webm::Status(kReadFailedCode);
        return Result(*got, count);
    }
    webm::Status Skip(std::uint64_t count, std::uint64_t *skipped) override {
        *skipped = callbacks_.skip(callbacks_.context, count);
        return Result(*skipped, count);
    }
    std::uint64_t Position() const override { return callbacks_.position(callbacks_.context); }

  private:
    static webm::Status Result(std::uint64_t done, std::uint64_t wanted) {
        if (done == wanted) return webm::Status(webm::Status::kOkCompleted);
        return webm::Status(done == 0 ? webm::Status::kEndOfFile : webm::Status::kOkPartial);
    }
    const millrace_webm_callbacks &callbacks_;
};

class BlockCollector final : public webm::Callback {
  public:
    explicit BlockCollector(const millrace_webm_callbacks &callbacks) : callbacks_(callbacks) {}

    void Reset() { ClearBlock(); }

    webm::Status OnElementBegin(const webm::ElementMetadata &metadata, webm::Action *action) override {
        const std::uint64_t size = metadata.size == webm::kUnknownElementSize ? UINT64_MAX : metadata.size;
        if (!callbacks_.element(
                callbacks_.context, static_cast<std::uint32_t>(metadata.id), metadata.position, metadata.header_size, size))
            return webm::Status(kRefusedCode);
        *action = Wanted(metadata) ? webm::Action::kRead : webm::Action::kSkip;
        return webm::Status(webm::Status::kOkCompleted);
    }

    webm::Status OnEbml(const webm::ElementMetadata &, const webm::Ebml &ebml) override {
        callbacks_.document(callbacks_.context, ebml.doc_type.value().c_str());
        return webm::Status(webm::Status::kOkCompleted);
    }

    webm::Status OnInfo(const webm::ElementMetadata &, const webm::Info &info) override {
        millrace_webm_info out = {};
        out.timestamp_scale = info.timecode_scale.value();
        out.has_duration = info.duration.is_present();
        out.duration = info.duration.value();
        out.has_date = info.date_utc.is_present();
        out.date_utc = info.date_utc.value();
        out.muxing_app = info.muxing_app.value().c_str();
        out.writing_app = info.writing_app.value().c_str();
        callbacks_.info(callbacks_.context, &out);
        return webm::Status(webm::Status::kOkCompleted);
    }

    webm::Status OnTrackEntry(const webm::ElementMetadata &, const webm::TrackEntry &track) override {
        millrace_webm_track out = {};
        out.number = track.track_number.value();
        out.uid = track.track_uid.value();
        out.type = static_cast<std::uint64_t>(track.track_type.value());
        out.codec_id = track.codec_id.value().c_str();
        out.codec_private = track.codec_private.value().data();
        out.codec_private_size = track.codec_private.value().size();
        out.default_duration = track.default_duration.value();
        out.codec_delay = track.codec_delay.value();
        out.seek_pre_roll = track.seek_pre_roll.value();
        out.pixel_width = track.video.value().pixel_width.value();
        out.pixel_height = track.video.value().pixel_height.value();
        out.projection_roll = track.video.value().projection.value().pose_roll.value();
        out.sampling_frequency = track.audio.value().sampling_frequency.value();
        out.channels = track.audio.value().channels.value();
        out.encoded = track.content_encodings.is_present();
        callbacks_.track(callbacks_.context, &out);
        return webm::Status(webm::Status::kOkCompleted);
    }

    webm::Status OnClusterBegin(
        const webm::ElementMetadata &, const webm::Cluster &cluster, webm::Action *action) override {
        cluster_timestamp_ = cluster.timecode.value();
        *action = webm::Action::kRead;
        return webm::Status(webm::Status::kOkCompleted);
    }

    webm::Status OnSimpleBlockBegin(
        const webm::ElementMetadata &, const webm::SimpleBlock &block, webm::Action *action) override {
        ClearBlock();
        Begin(block);
        block_.key_frame = block.is_key_frame;
        *action = webm::Action::kRead;
        return webm::Status(webm::Status::kOkCompleted);
    }

    webm::Status OnSimpleBlockEnd(const webm::ElementMetadata &, const webm::SimpleBlock &) override {
        return Deliver();
    }

    webm::Status OnBlockGroupBegin(const webm::ElementMetadata &, webm::Action *action) override {
        ClearBlock();
        *action = webm::Action::kRead;
        return webm::Status(webm::Status::kOkCompleted);
    }

    webm::Status OnBlockBegin(const webm::ElementMetadata &, const webm::Block &block, webm::Action *action) override {
        Begin(block);
        *action = webm::Action::kRead;
        return webm::Status(webm::Status::kOkCompleted);
    }

    webm::Status OnBlockGroupEnd(const webm::ElementMetadata &, const webm::BlockGroup &group) override {
        block_.key_frame = group.references.empty();
        block_.has_duration = group.duration.is_present();
        block_.duration = group.duration.value();
        block_.discard_padding = group.discard_padding.value();
        return Deliver();
    }

    webm::Status OnFrame(
        const webm::FrameMetadata &metadata, webm::Reader *reader, std::uint64_t *bytes_remaining) override {
        if (metadata.size > kMaximumFrame) return webm::Status(kRefusedCode);
        if (frames_.empty() || frames_.back().position != metadata.position) {
            frames_.push_back({metadata.position, bytes_.size(), 0});
        }
        while (*bytes_remaining > 0) {
            // Grown in steps as data arrives, so that a false size allocates no memory.
            const std::size_t step = static_cast<std::size_t>(std::min<std::uint64_t>(*bytes_remaining, 1u << 18));
            const std::size_t old = bytes_.size();
            bytes_.resize(old + step);
            std::uint64_t got = 0;
            const webm::Status status = reader->Read(step, bytes_.data() + old, &got);
            bytes_.resize(old + got);
            frames_.back().size += got;
            *bytes_remaining -= got;
            if (!status.ok()) return status;
        }
        return webm::Status(webm::Status::kOkCompleted);
    }

  private:
    struct Frame {
        std::uint64_t position;
        std::size_t start, size;
    };

    static bool Wanted(const webm::ElementMetadata &metadata) {
        switch (metadata.id) {
            case webm::Id::kSeekHead:
            case webm::Id::kCues:
            case webm::Id::kChapters:
            case webm::Id::kTags:
            case webm::Id::kBlockAdditions:
            case webm::Id::kSlices:
            case webm::Id::kVoid:
                return false;
            case webm::Id::kSegment:
            case webm::Id::kCluster:
            case webm::Id::kBlockGroup:
            case webm::Id::kBlock:
            case webm::Id::kSimpleBlock:
                return true;
            default:
                return metadata.size == webm::kUnknownElementSize || metadata.size <= kMaximumLeaf;
        }
    }

    void ClearBlock() {
        bytes_.clear();
        frames_.clear();
        block_ = {};
        next_ = 0;
    }

    void Begin(const webm::Block &block) {
        // If a group has a second Block (malformed), only the last one is kept.
        bytes_.clear();
        frames_.clear();
        next_ = 0;
        block_.track = block.track_number;
        // Unsigned, so that a hostile cluster timestamp wraps instead of causing undefined behaviour.
        const auto offset = static_cast<std::uint64_t>(static_cast<std::int64_t>(block.timecode));
        block_.timestamp = static_cast<std::int64_t>(cluster_timestamp_ + offset);
        block_.visible = block.is_visible;
    }

    // libwebm calls the same method again after a status that is not "completed"; `next_` keeps the position between the calls.
    webm::Status Deliver() {
        while (next_ < frames_.size()) {
            const Frame &frame = frames_[next_];
            millrace_webm_frame out = block_;
            out.lace_index = static_cast<std::uint32_t>(next_);
            out.lace_count = static_cast<std::uint32_t>(frames_.size());
            out.position = frame.position;
            out.bytes = bytes_.data() + frame.start;
            out.size = frame.size;
            next_ += 1;
            if (!callbacks_.frame(callbacks_.context, &out)) return webm::Status(kPausedCode);
        }
        return webm::Status(webm::Status::kOkCompleted);
    }

    const millrace_webm_callbacks &callbacks_;
    std::vector<std::uint8_t> bytes_;
    std::vector<Frame> frames_;
    millrace_webm_frame block_ = {};
    std::size_t next_ = 0;
    std::uint64_t cluster_timestamp_ = 0;
};

}  // namespace

struct millrace_webm_parser {
    explicit millrace_webm_parser(const millrace_webm_callbacks &c) : callbacks(c), reader(callbacks), collector(callbacks) {}
    millrace_webm_callbacks callbacks;
    SourceReader reader;
    BlockCollector collector;
    webm::WebmParser parser;
};

millrace_webm_parser *millrace_webm_parser_create(millrace_webm_callbacks callbacks) {
    try {
        return new millrace_webm_parser(callbacks);
    } catch (...) {
        return nullptr;
    }
}

void millrace_webm_parser_destroy(millrace_webm_parser *parser) { delete parser; }

void millrace_webm_parser_did_seek(millrace_webm_parser *parser) {
    parser->collector.Reset();
    try {
        parser->parser.DidSeek();
    } catch (...) {
        // Only an allocation can fail here; the next feed fails again and reports it.
    }
}

millrace_webm_result millrace_webm_parser_feed(millrace_webm_parser *parser, int32_t *code) {
    *code = 0;
    try {
        for (;;) {
            const webm::Status status = parser->parser.Feed(&parser->collector, &parser->reader);
            *code = status.code;
            if (status.code == webm::Status::kOkPartial || status.code == webm::Status::kWouldBlock) continue;
            if (status.code == webm::Status::kOkCompleted || status.code == webm::Status::kEndOfFile)
                return millrace_webm_end;
            if (status.code == kPausedCode) return millrace_webm_paused;
            if (status.code == kReadFailedCode) return millrace_webm_read_failed;
            if (status.code == webm::Status::kNotEnoughMemory) return millrace_webm_no_memory;
            return millrace_webm_damaged;
        }
    } catch (const std::bad_alloc &) {
        *code = webm::Status::kNotEnoughMemory;
        return millrace_webm_no_memory;
    } catch (...) {
        return millrace_webm_damaged;
    }
}
