#pragma once
#include <limits.h>
#include <stdbool.h>
#include <string.h>
#include <wels/codec_api.h>

// The library's functions are members of a table of pointers, which these functions call.

// A decoded frame in the decoder's memory, valid until its next call; `luma` is NULL if there is none.
struct millrace_openh264_frame {
    const unsigned char *luma;
    const unsigned char *blue;
    const unsigned char *red;
    int width;
    int height;
    int luma_stride;
    int chroma_stride;
};

// Returns a decoder that neither logs nor conceals errors, or NULL.
static inline ISVCDecoder *millrace_openh264_open(void) {
    ISVCDecoder *decoder = NULL;
    if (WelsCreateDecoder(&decoder) != 0 || !decoder) return NULL;
    int quiet = WELS_LOG_QUIET;
    (*decoder)->SetOption(decoder, DECODER_OPTION_TRACE_LEVEL, &quiet);
    SDecodingParam parameters;
    memset(&parameters, 0, sizeof parameters);
    parameters.uiTargetDqLayer = UCHAR_MAX;
    parameters.eEcActiveIdc = ERROR_CON_DISABLE;
    parameters.sVideoProperty.size = sizeof parameters.sVideoProperty;
    parameters.sVideoProperty.eVideoBsType = VIDEO_BITSTREAM_AVC;
    if ((*decoder)->Initialize(decoder, &parameters) != 0) {
        WelsDestroyDecoder(decoder);
        return NULL;
    }
    return decoder;
}

static inline void millrace_openh264_close(ISVCDecoder *decoder) {
    (*decoder)->Uninitialize(decoder);
    WelsDestroyDecoder(decoder);
}

// Decodes one access unit (Annex B). Returns DECODING_STATE.
static inline int millrace_openh264_decode(ISVCDecoder *decoder, const unsigned char *bytes, int size,
                                           struct millrace_openh264_frame *frame) {
    memset(frame, 0, sizeof *frame);
    unsigned char *planes[3] = {NULL, NULL, NULL};
    SBufferInfo info;
    memset(&info, 0, sizeof info);
    int state = (*decoder)->DecodeFrameNoDelay(decoder, bytes, size, planes, &info);
    // In other profiles than Baseline the library holds frames back, which might be shown later than the next ones. Streams of WebRTC
    // have no such frames, so the frame is taken out at once.
    for (int held = 0; info.iBufferStatus != 1 && state == 0;) {
        (*decoder)->GetOption(decoder, DECODER_OPTION_NUM_OF_FRAMES_REMAINING_IN_BUFFER, &held);
        if (held <= 0) break;
        memset(&info, 0, sizeof info);
        state = (*decoder)->FlushFrame(decoder, planes, &info);
        if (info.iBufferStatus != 1) break;
    }
    if (state != 0 || info.iBufferStatus != 1 || info.UsrData.sSystemBuffer.iFormat != videoFormatI420) return state;
    frame->luma = planes[0];
    frame->blue = planes[1];
    frame->red = planes[2];
    frame->width = info.UsrData.sSystemBuffer.iWidth;
    frame->height = info.UsrData.sSystemBuffer.iHeight;
    frame->luma_stride = info.UsrData.sSystemBuffer.iStride[0];
    frame->chroma_stride = info.UsrData.sSystemBuffer.iStride[1];
    return state;
}
