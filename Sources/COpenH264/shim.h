#pragma once
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
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

// An encoder with the units of its last frame, which are in the encoder's memory until its next call.
struct millrace_openh264_encoder {
    ISVCEncoder *codec;
    SFrameBSInfo frame;
};

static inline void millrace_openh264_encoder_close(struct millrace_openh264_encoder *encoder) {
    if (!encoder) return;
    if (encoder->codec) {
        (*encoder->codec)->Uninitialize(encoder->codec);
        WelsDestroySVCEncoder(encoder->codec);
    }
    free(encoder);
}

// Returns an encoder of constrained baseline, in real time and without key frames of its own choice, or NULL. `complexity`: ECOMPLEXITY_MODE.
static inline struct millrace_openh264_encoder *millrace_openh264_encoder_open(int width, int height, float rate, int bitrate,
                                                                               int threads, int complexity, bool skips) {
    struct millrace_openh264_encoder *encoder = (struct millrace_openh264_encoder *)calloc(1, sizeof *encoder);
    if (!encoder) return NULL;
    if (WelsCreateSVCEncoder(&encoder->codec) != 0 || !encoder->codec) {
        free(encoder);
        return NULL;
    }
    ISVCEncoder *codec = encoder->codec;
    int quiet = WELS_LOG_QUIET;
    (*codec)->SetOption(codec, ENCODER_OPTION_TRACE_LEVEL, &quiet);
    SEncParamExt parameters;
    memset(&parameters, 0, sizeof parameters);
    (*codec)->GetDefaultParams(codec, &parameters);
    parameters.iUsageType = CAMERA_VIDEO_REAL_TIME;
    parameters.iPicWidth = width;
    parameters.iPicHeight = height;
    parameters.iTargetBitrate = bitrate;
    parameters.iMaxBitrate = UNSPECIFIED_BIT_RATE;
    parameters.iRCMode = RC_BITRATE_MODE;
    parameters.fMaxFrameRate = rate;
    parameters.iComplexityMode = (ECOMPLEXITY_MODE)complexity;
    parameters.uiIntraPeriod = 0;
    parameters.bEnableFrameSkip = skips;
    parameters.bEnableSceneChangeDetect = false;
    parameters.bEnableDenoise = false;
    // Receivers keep the parameter sets of earlier key frames, so that equal sets have equal ids.
    parameters.eSpsPpsIdStrategy = CONSTANT_ID;
    parameters.iMultipleThreadIdc = (unsigned short)threads;
    parameters.iSpatialLayerNum = 1;
    SSpatialLayerConfig *layer = &parameters.sSpatialLayers[0];
    layer->uiProfileIdc = PRO_BASELINE;
    layer->iVideoWidth = width;
    layer->iVideoHeight = height;
    layer->fFrameRate = rate;
    layer->iSpatialBitrate = bitrate;
    layer->iMaxSpatialBitrate = UNSPECIFIED_BIT_RATE;
    layer->sSliceArgument.uiSliceMode = threads > 1 ? SM_FIXEDSLCNUM_SLICE : SM_SINGLE_SLICE;
    layer->sSliceArgument.uiSliceNum = (unsigned int)threads;
    if ((*codec)->InitializeExt(codec, &parameters) != cmResultSuccess) {
        millrace_openh264_encoder_close(encoder);
        return NULL;
    }
    return encoder;
}

// Returns CM_RETURN.
static inline int millrace_openh264_set_bitrate(struct millrace_openh264_encoder *encoder, int bitrate) {
    SBitrateInfo info;
    memset(&info, 0, sizeof info);
    info.iLayer = SPATIAL_LAYER_ALL;
    info.iBitrate = bitrate;
    return (*encoder->codec)->SetOption(encoder->codec, ENCODER_OPTION_BITRATE, &info);
}

// Encodes one frame of the encoder's size; `milliseconds`: its timestamp. Returns CM_RETURN.
static inline int millrace_openh264_encode(struct millrace_openh264_encoder *encoder, const unsigned char *luma,
                                           const unsigned char *blue, const unsigned char *red, int luma_stride,
                                           int chroma_stride, int width, int height, long long milliseconds,
                                           bool forces_key_frame) {
    if (forces_key_frame) (*encoder->codec)->ForceIntraFrame(encoder->codec, true);
    SSourcePicture source;
    memset(&source, 0, sizeof source);
    source.iColorFormat = videoFormatI420;
    source.iStride[0] = luma_stride;
    source.iStride[1] = chroma_stride;
    source.iStride[2] = chroma_stride;
    // The library only reads.
    source.pData[0] = (unsigned char *)luma;
    source.pData[1] = (unsigned char *)blue;
    source.pData[2] = (unsigned char *)red;
    source.iPicWidth = width;
    source.iPicHeight = height;
    source.uiTimeStamp = milliseconds;
    memset(&encoder->frame, 0, sizeof encoder->frame);
    return (*encoder->codec)->EncodeFrame(encoder->codec, &source, &encoder->frame);
}

static inline bool millrace_openh264_is_key_frame(const struct millrace_openh264_encoder *encoder) {
    return encoder->frame.eFrameType == videoFrameTypeIDR;
}

// Returns the bytes of the last frame; 0 if rate control dropped it.
static inline int millrace_openh264_encoded_size(const struct millrace_openh264_encoder *encoder) {
    if (encoder->frame.eFrameType == videoFrameTypeSkip || encoder->frame.eFrameType == videoFrameTypeInvalid) return 0;
    int size = 0;
    for (int layer = 0; layer < encoder->frame.iLayerNum; layer++)
        for (int unit = 0; unit < encoder->frame.sLayerInfo[layer].iNalCount; unit++)
            size += encoder->frame.sLayerInfo[layer].pNalLengthInByte[unit];
    return size;
}

// Copies the last frame, as many bytes as millrace_openh264_encoded_size returns.
static inline void millrace_openh264_copy(const struct millrace_openh264_encoder *encoder, unsigned char *bytes) {
    for (int layer = 0; layer < encoder->frame.iLayerNum; layer++) {
        const SLayerBSInfo *info = &encoder->frame.sLayerInfo[layer];
        size_t size = 0;
        for (int unit = 0; unit < info->iNalCount; unit++) size += (size_t)info->pNalLengthInByte[unit];
        memcpy(bytes, info->pBsBuf, size);
        bytes += size;
    }
}
