import Forwarding
import MediaBase
import RTP

/// Choices of a subscriber among the stream's video: encodings of simulcast, or the spatial layers of a single encoding (SVC), which the
/// allocator treats like encodings.
extension EngineStream {
    /// Spatial layers of the only encoding; nil for simulcast and for streams with one spatial layer.
    var spatialLayers: LayerOrder? {
        guard encodings.count == 1, let order = encodings.first?.producer.layerOrder, order.spatialLayers > 1 else {
            return nil
        }
        return order
    }

    /// Returns the choices from the smallest to the largest, as input to the allocator.
    func choices(now: MediaTime) -> [AllocatedTrack.Encoding] {
        guard let order = spatialLayers, let producer = video else {
            return encodings.map {
                AllocatedTrack.Encoding(
                    isActive: $0.producer.isActive(now: now), height: $0.producer.frameSize?.height ?? 0,
                    bitrates: $0.producer.measured(now: now).bitrates)
            }
        }
        let rates = producer.measured(now: now).bitrates
        let isActive = producer.isActive(now: now)
        let isMeasured = (rates.last?.rawValue ?? 0) > 0
        let base = Int(order.baseLayers)
        return (0..<order.spatialLayers).map { layer in
            let height = order.size(ofSpatialLayer: layer)?.height ?? 0
            guard layer > 0 else {
                return AllocatedTrack.Encoding(
                    isActive: isActive && isMeasured, height: height, bitrates: Array(rates[..<base]))
            }
            let rate = rates[base + layer - 1]
            let lower = rates[base + layer - 2].rawValue
            // A layer that the publisher has stopped adds nothing. Until the rates are known, only the whole encoding can be chosen, up to the
            // limits that the subscriber requested: a lower layer could be left only at another key frame.
            let isSent = isMeasured ? rate.rawValue > lower + lower / 64 : layer == order.spatialLayers - 1
            return AllocatedTrack.Encoding(isActive: isActive && isSent, height: height, bitrates: [rate])
        }
    }

    /// Returns the producer of a choice, and the limit of its layers; nil if the choice no longer exists.
    /// - Parameter claim: track that the selection was made for, with the choices.
    func source(of selection: LayerSelection, for claim: AllocatedTrack) -> (producer: Producer, limit: UInt8)? {
        guard let order = spatialLayers else {
            guard selection.encoding < encodings.count else { return nil }
            return (encodings[selection.encoding].producer, selection.temporal)
        }
        guard selection.encoding < order.spatialLayers, let producer = video else { return nil }
        let highest = claim.highestPermitted(countsInactive: true)
        let isHighest = !claim.encodings.dropFirst(selection.encoding + 1).contains(where: \.isActive)
        // A subscriber of the highest layer gets higher ones at once when the publisher starts them again, but none that it did not request.
        let layer = selection.encoding > 0 && isHighest ? highest : min(selection.encoding, highest)
        return (producer, order.limit(spatial: layer, temporal: selection.temporal))
    }
}
