import MediaBase
import MediaEngine

extension [StreamSnapshot] {
    /// Returns the newest stream, as the engine chooses it for a subscriber without a stream's name: if possible, one that it can decode.
    ///
    /// - Parameter codecs: codecs of video that the subscriber accepts; nil: any.
    func newest(in codecs: [VideoCodec]?) -> StreamSnapshot? {
        let fitting = filter { stream in stream.codec.map { codecs?.contains($0) ?? true } ?? true }
        return (fitting.isEmpty ? self : fitting).max { $0.createdAt < $1.createdAt }
    }
}
