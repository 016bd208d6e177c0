/// Reads the layers of a stream's packets from their dependency descriptors (RTP Payload Format for AV1 version 1.0, appendix A). Keeps the
/// structure of the newest key frame, which is at most 64 templates.
package struct LayerReader: Sendable {
    private var structure: DependencyStructure?
    /// Unwrapped sequence number of the packet that carried `structure`.
    private var structureSequence = Int64.min
    /// Layers of the stream; one layer before the first structure.
    package private(set) var order = LayerOrder()

    package init() {}

    /// True if the stream had a structure, so that packets without a valid descriptor are damaged.
    @inline(__always)
    package var hasStructure: Bool { structure != nil }

    /// Replaces the layers that the payload states. A packet whose layer is unknown counts as one of the base layer, which every subscriber
    /// gets; before the first structure, the facts stay as they are.
    /// - Parameters:
    ///   - descriptor: data of the header extension; nil if the packet has none.
    ///   - sequence: unwrapped sequence number. The structure of a packet that arrives late does not replace a newer one.
    package mutating func read(_ descriptor: UnsafeRawBufferPointer?, sequence: Int64, into facts: inout FrameFacts) {
        var known = structure
        guard let descriptor, let found = try? DependencyDescriptor(parsing: descriptor, structure: &known) else {
            if hasStructure { setLayer(0, of: &facts) }
            return
        }
        if found.hasStructure, sequence > structureSequence, let known {
            structureSequence = sequence
            if known != structure {
                structure = known
                order = LayerOrder(known)
            }
        }
        facts.spatialLayer = found.spatialLayer
        setLayer(order.position(spatial: found.spatialLayer, temporal: found.temporalLayer), of: &facts)
        facts.fields.switches = order.switches(found.indications)
        if found.isFrameEnd { facts.fields.ends = order.ends(spatial: found.spatialLayer) }
        if facts.isKeyFrameStart, let size = order.size(ofSpatialLayer: order.spatialLayers - 1) {
            facts.width = UInt16(clamping: size.width)
            facts.height = UInt16(clamping: size.height)
        }
    }

    private func setLayer(_ position: UInt8, of facts: inout FrameFacts) {
        facts.fields.layer = position
        // Descriptors state the frames at which a receiver can switch.
        facts.isLayerSync = false
    }
}
