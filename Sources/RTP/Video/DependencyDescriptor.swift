/// Dependency descriptor of one packet, from its header extension (RTP Payload Format for AV1 version 1.0, appendix A). Any codec can use it.
///
///      0                   1                   2
///      0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3
///     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///     |S|E|template id|         frame number          | optional fields ...
///     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
package struct DependencyDescriptor: Hashable, Sendable {
    /// Bytes of the mandatory fields.
    package static let minimumLength = 3

    /// The first packet of a frame.
    package let isFrameStart: Bool
    /// The last packet of a frame.
    package let isFrameEnd: Bool
    /// Number of the frame, in the order of decoding; wraps.
    package let frameNumber: UInt16
    /// The packet carries the structure, which only key frames do.
    package let hasStructure: Bool
    /// One bit for each decode target that is sent from this frame on, the lowest for target 0; nil if it does not change.
    package let activeTargets: UInt32?
    package let spatialLayer: UInt8
    package let temporalLayer: UInt8
    package let indications: DecodeTargetIndications
    package let references: FrameReferences
    /// Distance to the previous frame of each chain in frame numbers; 0 for a frame that starts the chain.
    package let chains: SIMD32<UInt8>
    /// Maximum size of the spatial layer; nil if the structure does not state it.
    package let size: DependencyStructure.Size?

    /// Parses a descriptor.
    /// - Parameters:
    ///   - bytes: data of the header extension.
    ///   - structure: that of the newest key frame; the descriptor replaces it if it carries another one.
    /// - Throws: `unexpected` without a structure, `invalid` if the structure does not have the template. Then `structure` is unchanged.
    package init(parsing bytes: UnsafeRawBufferPointer, structure: inout DependencyStructure?) throws(RTPError) {
        guard bytes.count >= Self.minimumLength, let base = bytes.baseAddress else {
            throw .truncated(.dependencyDescriptor)
        }
        let first = base.u8(0)
        isFrameStart = first & 0x80 != 0
        isFrameEnd = first & 0x40 != 0
        frameNumber = base.u16(1)
        var reader = BitReader(
            UnsafeRawBufferPointer(rebasing: bytes[Self.minimumLength...]), field: .dependencyDescriptor)
        let isExtended = bytes.count > Self.minimumLength
        hasStructure = try isExtended ? reader.flag() : false
        let hasActiveTargets = try isExtended ? reader.flag() : false
        let hasIndications = try isExtended ? reader.flag() : false
        let hasReferences = try isExtended ? reader.flag() : false
        let hasChains = try isExtended ? reader.flag() : false
        let current = try hasStructure ? DependencyStructure(&reader) : structure
        guard let current else { throw .unexpected(.dependencyDescriptor) }
        if hasActiveTargets {
            activeTargets = try reader.bits(current.decodeTargetCount)
        } else {
            activeTargets = hasStructure ? current.allTargets : nil
        }
        // Template identifiers wrap at 64.
        let index = Int((first & 0x3f &+ 64 &- current.templateOffset) % 64)
        guard index < current.templates.count else { throw .invalid(.dependencyDescriptor) }
        let template = current.templates[index]
        spatialLayer = template.spatialLayer
        temporalLayer = template.temporalLayer
        size = Int(spatialLayer) < current.sizes.count ? current.sizes[Int(spatialLayer)] : nil
        indications =
            try hasIndications
            ? DecodeTargetIndications(&reader, count: current.decodeTargetCount) : template.indications
        references = try hasReferences ? Self.readReferences(&reader) : template.references
        chains = try hasChains ? Self.readChains(&reader, count: current.chainCount) : template.chains
        if hasStructure { structure = current }
    }

    private static func readReferences(_ reader: inout BitReader) throws(RTPError) -> FrameReferences {
        var references = FrameReferences()
        while true {
            let size = Int(try reader.bits(2))
            guard size > 0 else { return references }
            try references.append(try reader.bits(4 * size) + 1)
        }
    }

    private static func readChains(_ reader: inout BitReader, count: Int) throws(RTPError) -> SIMD32<UInt8> {
        var chains = SIMD32<UInt8>.zero
        for chain in 0..<count { chains[chain] = UInt8(try reader.bits(8)) }
        return chains
    }

    /// Returns whether a descriptor can be forwarded: it has the mandatory fields, and fits a header extension.
    @inline(__always)
    package static func isPassable(_ bytes: UnsafeRawBufferPointer?) -> Bool {
        guard let bytes else { return false }
        return (minimumLength...Int(UInt8.max)).contains(bytes.count)
    }

    /// Returns the frame number of a descriptor that `isPassable`.
    package static func frameNumber(of bytes: UnsafeRawPointer) -> UInt16 { bytes.u16(1) }

    /// Adds to the frame number of a descriptor, for a stream from which frames are left out or that continues another one. Other fields are
    /// differences of frame numbers and stay valid.
    /// - Parameter bytes: data of the header extension; shorter data stay unchanged.
    package static func shiftFrameNumber(in bytes: UnsafeMutableRawBufferPointer, by distance: UInt16) {
        guard bytes.count >= minimumLength, let base = bytes.baseAddress else { return }
        base.put(UnsafeRawPointer(base).u16(1) &+ distance, at: 1)
    }
}
