import Forwarding

/// Layer of a video track that is sent to a subscriber.
struct SentLayer {
    /// Position of the encoding in its stream, or spatial layer of an SVC stream; 0 is the smallest.
    let spatial: Int
    /// Highest temporal layer; 3: all.
    let temporal: Int
    /// Size of the frames in pixels; nil before the first key frame.
    let size: (width: Int, height: Int)?

    /// - Parameters:
    ///   - producer: encoding that feeds the track.
    ///   - stream: stream of the track; nil if it has ended.
    init(of track: SubscribedTrack, from producer: Producer, in stream: EngineStream?) {
        if let order = stream?.spatialLayers {
            spatial = order.spatialLayer(under: track.layerLimit)
            temporal = Int(order.temporalLayer(under: track.layerLimit))
            size = order.size(ofSpatialLayer: spatial) ?? producer.frameSize
        } else {
            spatial = stream?.encodings.firstIndex { $0.producer === producer } ?? 0
            temporal = Int(track.layerLimit)
            size = producer.frameSize
        }
    }
}
