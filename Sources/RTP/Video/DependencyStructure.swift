/// Template dependency structure of a video stream (RTP Payload Format for AV1 version 1.0, section A.8.3). A key frame carries it; the
/// descriptors of later frames refer to its templates.
package struct DependencyStructure: Hashable, Sendable {
    package static let maximumTemplates = 64
    package static let maximumSpatialLayers = 4
    package static let maximumTemporalLayers = 8

    /// Properties of the frames that refer to one template.
    package struct Template: Hashable, Sendable {
        package var spatialLayer: UInt8
        package var temporalLayer: UInt8
        package var indications = DecodeTargetIndications()
        package var references = FrameReferences()
        /// Distance to the previous frame of each chain in frame numbers; 0 for a frame that starts the chain.
        package var chains = SIMD32<UInt8>.zero
    }

    /// Identifier of the first template, 0...63.
    package var templateOffset: UInt8
    /// 1...32.
    package var decodeTargetCount: Int
    package var templates: [Template] = []
    /// 0...32.
    package var chainCount = 0
    /// Chain that protects each decode target; meaningful if there are chains.
    package var protectingChains = SIMD32<UInt8>.zero
    /// Maximum size in pixels of each spatial layer; empty if it is not stated.
    package var sizes: [Size] = []

    package struct Size: Hashable, Sendable {
        /// 1...65,536.
        package var width: UInt32
        package var height: UInt32
    }

    /// Bits of all decode targets.
    package var allTargets: UInt32 { UInt32.max >> UInt32(32 - decodeTargetCount) }

    init(_ reader: inout BitReader) throws(RTPError) {
        templateOffset = UInt8(try reader.bits(6))
        decodeTargetCount = Int(try reader.bits(5)) + 1
        try readLayers(&reader)
        for index in templates.indices {
            templates[index].indications = try DecodeTargetIndications(&reader, count: decodeTargetCount)
        }
        for index in templates.indices {
            while try reader.flag() { try templates[index].references.append(try reader.bits(4) + 1) }
        }
        try readChains(&reader)
        guard try reader.flag() else { return }
        for _ in 0...(templates.last?.spatialLayer ?? 0) {
            let width = try reader.bits(16) + 1
            sizes.append(Size(width: width, height: try reader.bits(16) + 1))
        }
    }

    /// Reads the layers of each template, in the order of spatial and then of temporal layers.
    private mutating func readLayers(_ reader: inout BitReader) throws(RTPError) {
        var spatial: UInt8 = 0
        var temporal: UInt8 = 0
        while true {
            guard templates.count < Self.maximumTemplates, spatial < Self.maximumSpatialLayers,
                temporal < Self.maximumTemporalLayers
            else { throw .invalid(.dependencyStructure) }
            templates.append(Template(spatialLayer: spatial, temporalLayer: temporal))
            switch try reader.bits(2) {
            case 0: break
            case 1: temporal += 1
            case 2:
                temporal = 0
                spatial += 1
            default: return
            }
        }
    }

    private mutating func readChains(_ reader: inout BitReader) throws(RTPError) {
        chainCount = Int(try reader.nonSymmetric(UInt32(decodeTargetCount) + 1))
        guard chainCount > 0 else { return }
        for target in 0..<decodeTargetCount {
            protectingChains[target] = UInt8(try reader.nonSymmetric(UInt32(chainCount)))
        }
        for index in templates.indices {
            for chain in 0..<chainCount { templates[index].chains[chain] = UInt8(try reader.bits(4)) }
        }
    }
}
