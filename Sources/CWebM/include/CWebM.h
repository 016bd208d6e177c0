#pragma once
// C interface to libwebm's parser (C++). Callbacks are a struct of function pointers; no exception leaves this interface. Strings
// and byte ranges passed to a callback are valid until it returns.
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    uint64_t number, uid;
    uint64_t type;  // 1 video, 2 audio, others as in Matroska's TrackType
    const char *codec_id;
    const uint8_t *codec_private;
    size_t codec_private_size;
    uint64_t default_duration;           // nanoseconds per frame, 0: unknown
    uint64_t codec_delay, seek_pre_roll;  // nanoseconds
    uint64_t pixel_width, pixel_height;
    double projection_roll;  // degrees counter-clockwise, 0 without a Projection
    double sampling_frequency;
    uint64_t channels;
    bool encoded;  // has ContentEncodings: compressed or encrypted
} millrace_webm_track;

typedef struct {
    uint64_t timestamp_scale;  // nanoseconds per tick
    bool has_duration, has_date;
    double duration;   // ticks
    int64_t date_utc;  // nanoseconds since 2001-01-01T00:00:00Z
    const char *muxing_app, *writing_app;
} millrace_webm_info;

typedef struct {
    uint64_t track;
    int64_t timestamp;  // ticks: cluster timestamp plus block timestamp
    uint32_t lace_index, lace_count;
    bool key_frame, visible;
    bool has_duration;
    uint64_t duration;        // ticks
    int64_t discard_padding;  // nanoseconds
    uint64_t position;        // byte offset of the frame's first byte
    const uint8_t *bytes;
    size_t size;
} millrace_webm_frame;

typedef struct {
    void *context;
    // > 0: bytes read (may be fewer than `count`), 0: end, < 0: the source failed
    int64_t (*read)(void *context, uint8_t *buffer, uint64_t count);
    // number of bytes skipped; 0 at the end
    uint64_t (*skip)(void *context, uint64_t count);
    uint64_t (*position)(void *context);
    void (*document)(void *context, const char *doc_type);
    void (*info)(void *context, const millrace_webm_info *info);
    void (*track)(void *context, const millrace_webm_track *track);
    // false pauses the parser after this block
    bool (*frame)(void *context, const millrace_webm_frame *frame);
    // called when an element begins; size is UINT64_MAX if unknown. false refuses the element: the parser stops with
    // millrace_webm_damaged.
    bool (*element)(void *context, uint32_t id, uint64_t position, uint64_t header_size, uint64_t size);
} millrace_webm_callbacks;

typedef enum {
    millrace_webm_paused,      // the frame callback returned false; feed again to continue
    millrace_webm_end,         // end of the source, after an element or inside one
    millrace_webm_damaged,     // malformed; seek to an element and call did_seek, or give up
    millrace_webm_no_memory,
    millrace_webm_read_failed
} millrace_webm_result;

typedef struct millrace_webm_parser millrace_webm_parser;

millrace_webm_parser *millrace_webm_parser_create(millrace_webm_callbacks callbacks);  // NULL: no memory
void millrace_webm_parser_destroy(millrace_webm_parser *parser);
// Tells the parser that the source has moved to the start of another element (a cluster).
void millrace_webm_parser_did_seek(millrace_webm_parser *parser);
// `code` receives libwebm's status.
millrace_webm_result millrace_webm_parser_feed(millrace_webm_parser *parser, int32_t *code);

#ifdef __cplusplus
}
#endif
