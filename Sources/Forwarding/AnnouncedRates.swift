package import MediaBase

/// Rates of an encoding at the relay that it is published at, for a relay to which it is not sent at present.
package struct AnnouncedRates: Sendable, Equatable, BitwiseCopyable {
    /// Whether packets arrive from the publisher and are not dropped.
    package var isActive: Bool
    /// Whether the relay of the publisher does not send the encoding at present, because it was not asked to, or cannot.
    package var isHeldBack: Bool
    /// Whether the relay of the publisher cannot send the encoding at present, because the path between the relays is too narrow. It is held
    /// back, too.
    package var isWithheld: Bool
    /// Frame size in pixels; 0 if unknown.
    package var width: UInt16
    package var height: UInt16
    /// Bits per second up to each temporal layer.
    package var bitrates: SIMD4<UInt32>
    /// Frames in 100 seconds up to each temporal layer.
    package var frameRates: SIMD4<UInt16>

    package init(
        isActive: Bool, isHeldBack: Bool, isWithheld: Bool = false, width: UInt16, height: UInt16,
        bitrates: SIMD4<UInt32>,
        frameRates: SIMD4<UInt16>
    ) {
        self.isActive = isActive
        self.isHeldBack = isHeldBack
        self.isWithheld = isWithheld
        self.width = width
        self.height = height
        self.bitrates = bitrates
        self.frameRates = frameRates
    }

    /// Takes the rates that a producer has now.
    package init(of producer: Producer, isHeldBack: Bool, isWithheld: Bool = false, now: MediaTime) {
        let measured = producer.measured(now: now)
        self.init(
            isActive: producer.isActive(now: now) && !producer.isMuted, isHeldBack: isHeldBack,
            isWithheld: isWithheld,
            width: UInt16(clamping: producer.frameSize?.width ?? 0),
            height: UInt16(clamping: producer.frameSize?.height ?? 0), bitrates: .zero, frameRates: .zero)
        for layer in 0..<4 {
            bitrates[layer] = UInt32(clamping: measured.bitrates[layer].rawValue)
            frameRates[layer] = UInt16(clamping: Int64(saturating: measured.frameRates[layer] * 100))
        }
    }

    /// The rates in the form of those that a producer measures.
    var measured: (bitrates: [Bitrate], frameRates: [Double]) {
        (
            (0..<4).map { Bitrate(rawValue: Int64(bitrates[$0])) },
            (0..<4).map { Double(frameRates[$0]) / 100 }
        )
    }
}
