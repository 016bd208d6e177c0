/// Order in which forwarding leaves out the layers of an encoding. A limit is a position in it: packets of higher positions are left out.
///
/// There are four positions, as many as temporal layers of VP8, so that spatial layers need no counts of their own. The temporal layers of
/// the lowest spatial layer come first, then each higher spatial layer with all its temporal layers. For example, an encoding with three
/// spatial and three temporal layers (L3T3) can be limited to the base layer, to S0, and to S0 and S1.
package struct LayerOrder: Hashable, Sendable {
    /// Limit under which all layers are sent.
    package static let noLimit: UInt8 = 3
    /// Bit mask with a bit for each limit.
    package static let allLimits: UInt8 = 0b1111
    private static let noTarget = UInt8.max

    /// 1...4.
    package private(set) var spatialLayers = 1
    /// 1...8.
    package private(set) var temporalLayers = 1
    /// Maximum sizes in pixels of the spatial layers; 0 if unknown.
    private var widths = SIMD4<UInt32>.zero
    private var heights = SIMD4<UInt32>.zero
    /// Decode target of each limit; `noTarget` if there is none.
    private var targets = SIMD4<UInt8>(repeating: noTarget)

    /// One layer.
    package init() {}

    package init(_ structure: DependencyStructure) {
        for template in structure.templates {
            spatialLayers = max(spatialLayers, Int(template.spatialLayer) + 1)
            temporalLayers = max(temporalLayers, Int(template.temporalLayer) + 1)
        }
        for (layer, size) in structure.sizes.prefix(4).enumerated() {
            widths[layer] = size.width
            heights[layer] = size.height
        }
        // Of several targets with one position, the one with the most temporal layers counts.
        var highest = SIMD4<UInt8>.zero
        for target in 0..<structure.decodeTargetCount {
            var spatial: UInt8 = 0
            var temporal: UInt8 = 0
            for template in structure.templates where template.indications[target] != .notPresent {
                spatial = max(spatial, template.spatialLayer)
                temporal = max(temporal, template.temporalLayer)
            }
            let limit = Int(position(spatial: spatial, temporal: temporal))
            guard targets[limit] == Self.noTarget || temporal > highest[limit] else { continue }
            targets[limit] = UInt8(truncatingIfNeeded: target)
            highest[limit] = temporal
        }
        for limit in Int(top)..<4 { targets[limit] = targets[Int(top)] }
    }

    /// Number of positions of the lowest spatial layer.
    package var baseLayers: UInt8 { UInt8(min(temporalLayers, 5 - spatialLayers)) }
    /// Highest position of a packet.
    private var top: UInt8 { baseLayers + UInt8(spatialLayers) - 2 }

    /// Returns the position of a layer.
    package func position(spatial: UInt8, temporal: UInt8) -> UInt8 {
        spatial == 0 ? min(temporal, baseLayers - 1) : min(baseLayers - 1 + spatial, Self.noLimit)
    }

    /// Returns the limit up to a layer.
    package func limit(spatial: Int, temporal: UInt8) -> UInt8 {
        let position = position(spatial: UInt8(clamping: spatial), temporal: temporal)
        return position >= top ? Self.noLimit : position
    }

    /// Returns the highest spatial layer under a limit.
    package func spatialLayer(under limit: UInt8) -> Int {
        limit < baseLayers ? 0 : min(Int(limit - baseLayers) + 1, spatialLayers - 1)
    }

    /// Returns the highest temporal layer under a limit; 3 means all.
    package func temporalLayer(under limit: UInt8) -> UInt8 { limit + 1 < baseLayers ? limit : Self.noLimit }

    /// Returns the maximum size in pixels of a spatial layer; nil if it is unknown.
    package func size(ofSpatialLayer layer: Int) -> (width: Int, height: Int)? {
        guard (0..<4).contains(layer), heights[layer] > 0 else { return nil }
        return (Int(widths[layer]), Int(heights[layer]))
    }

    /// Returns one bit for each limit whose decode target a receiver can switch to at a frame.
    func switches(_ indications: DecodeTargetIndications) -> UInt8 {
        var limits: UInt8 = 0
        for limit in 0..<4 where targets[limit] != Self.noTarget {
            if indications[Int(targets[limit])] == .switching { limits |= 1 << UInt8(limit) }
        }
        return limits
    }

    /// Returns one bit for each limit under which the frame of a spatial layer is the last of its time, whatever follows. 0 if there is one
    /// spatial layer: then the publisher's marker bit suffices.
    func ends(spatial: UInt8) -> UInt8 {
        guard spatialLayers > 1 else { return 0 }
        guard spatial > 0 else { return (1 << baseLayers) - 1 }
        return Int(spatial) + 1 < spatialLayers ? 1 << position(spatial: spatial, temporal: 0) : Self.allLimits
    }
}
