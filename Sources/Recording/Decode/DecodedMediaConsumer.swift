package import Codecs
package import MediaBase

/// Receives decoded frames and audio: raw video file, audio file, stills, fingerprints.
package protocol DecodedMediaConsumer: AnyObject {
    /// Receives a frame in the decoder's memory.
    func take(_ planes: borrowing I420Planes, _ info: DecodedFrame) throws(DecodeError)
    /// Receives audio without gaps, from the file's time zero.
    func take(_ block: PCMBlock) throws(DecodeError)
    /// Called after all media is decoded.
    func finish() throws(DecodeError)
}

/// Position and properties of a decoded frame.
package struct DecodedFrame: Sendable {
    /// Number of the frame in the file, from 1, including hidden, empty and damaged frames.
    package var number: Int
    /// Number among the frames that are shown, from 1.
    package var shownNumber: Int
    package var time: MediaTime
    package var isKeyFrame: Bool
    /// Clockwise rotation requested by the file; planes are as encoded.
    package var rotation: Rotation
}

extension DecodedMediaConsumer {
    package func take(_ planes: borrowing I420Planes, _ info: DecodedFrame) throws(DecodeError) {}
    package func take(_ block: PCMBlock) throws(DecodeError) {}
    package func finish() throws(DecodeError) {}
}
