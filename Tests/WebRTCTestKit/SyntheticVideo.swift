package import MediaBase
import RTP

/// Source of synthetic video: frames as large as an encoder makes them at a bit rate, in one or more simulcast encodings, split
/// into packets with real VP8 payload descriptors.
package struct SyntheticVideo: Sendable {
    package struct Encoding: Hashable, Sendable {
        package var width: Int
        package var height: Int
        package var bitrate: Bitrate

        package init(width: Int, height: Int, bitrate: Bitrate) {
            self.width = width
            self.height = height
            self.bitrate = bitrate
        }

        /// Encodings that a browser sends for a 1280 x 720 camera: a quarter, a half and the full width and height.
        package static let simulcast = [
            Encoding(width: 320, height: 180, bitrate: .kilobits(150)),
            Encoding(width: 640, height: 360, bitrate: .kilobits(500)),
            Encoding(width: 1280, height: 720, bitrate: .kilobits(1500)),
        ]
    }

    package let source: UInt32
    package let encodings: [Encoding]
    package let framesPerSecond: Int
    /// 1...3.
    package let temporalLayers: Int
    /// Size of a key frame, as a multiple of other frames.
    package static let keyFrameSize = 5
    /// Number of frames made so far.
    package private(set) var number: UInt32 = 0
    private var packetizers: [VP8Packetizer]
    private var wantsKeyFrame: [Bool]
    package private(set) var keyFrames: UInt64 = 0

    /// - Parameter source: source id, for `SyntheticFrame`.
    package init(source: UInt32, encodings: [Encoding], framesPerSecond: Int = 30, temporalLayers: Int = 1) {
        self.source = source
        self.encodings = encodings
        self.framesPerSecond = max(1, framesPerSecond)
        self.temporalLayers = min(max(temporalLayers, 1), 3)
        packetizers = encodings.indices.map {
            VP8Packetizer(
                maximumPayloadLength: 1150,
                firstPictureID: UInt16(truncatingIfNeeded: source &* 77 &+ UInt32($0) &* 991),
                firstTL0PicIdx: UInt8(truncatingIfNeeded: source))
        }
        wantsKeyFrame = encodings.map { _ in true }
    }

    package var interval: MediaTime { .nanoseconds(1_000_000_000 / Int64(framesPerSecond)) }

    package mutating func requestKeyFrame(encoding: Int) {
        if wantsKeyFrame.indices.contains(encoding) { wantsKeyFrame[encoding] = true }
    }

    /// Calls `body` with the packets of the next frame in all encodings.
    package mutating func nextFrame(
        captured: MediaTime, _ body: (_ encoding: Int, _ payload: UnsafeRawBufferPointer, _ isLast: Bool) -> Void
    ) {
        let temporalLayer =
            temporalLayers == 1 ? 0 : temporalLayers == 2 ? Int(number & 1) : [0, 2, 1, 2][Int(number & 3)]
        for index in encodings.indices {
            let encoding = encodings[index]
            // A key frame restarts the pattern of temporal layers, so it waits until the pattern starts over.
            let isKeyFrame = wantsKeyFrame[index] && temporalLayer == 0
            if isKeyFrame {
                wantsKeyFrame[index] = false
                keyFrames += 1
            }
            let usual = Int(encoding.bitrate.rawValue) / 8 / framesPerSecond
            let frame = SyntheticFrame(
                source: source, encoding: UInt8(truncatingIfNeeded: index), number: number, isKeyFrame: isKeyFrame,
                captured: captured)
            let bytes = frame.bytes(
                length: usual * (isKeyFrame ? Self.keyFrameSize : 1), width: encoding.width, height: encoding.height)
            let layer = VP8Packetizer.Layer(temporalID: UInt8(temporalLayer), sync: temporalLayer > 0)
            bytes.withUnsafeBytes { bytes in
                packetizers[index].packetize(
                    bytes, layer: temporalLayers > 1 ? layer : nil,
                    nonReference: temporalLayer > 0 && temporalLayer == temporalLayers - 1
                ) { payload, isLast in body(index, payload, isLast) }
            }
        }
        number &+= 1
    }
}
