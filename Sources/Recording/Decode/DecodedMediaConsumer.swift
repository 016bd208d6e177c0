package import Codecs
package import MediaBase

/// Takes decoded pictures and sound: a raw video file, a sound file, stills, fingerprints.
package protocol DecodedMediaConsumer: AnyObject {
    /// A picture, where it lies in the decoder's memory.
    func take(_ picture: borrowing I420Planes, _ info: DecodedPicture) throws(DecodeError)
    /// Sound without a hole, from the file's time zero.
    func take(_ sound: PCMBlock) throws(DecodeError)
    /// All is decoded.
    func finish() throws(DecodeError)
}

/// Which picture it is.
package struct DecodedPicture: Sendable {
    /// Which frame of the file it is, from 1; frames that are hidden, empty or damaged count.
    package var number: Int
    /// Which of those shown it is, from 1.
    package var shownNumber: Int
    package var time: MediaTime
    package var isKeyFrame: Bool
    /// Clockwise rotation that the file asks for; planes are as they were encoded.
    package var rotation: Rotation
}

extension DecodedMediaConsumer {
    package func take(_ picture: borrowing I420Planes, _ info: DecodedPicture) throws(DecodeError) {}
    package func take(_ sound: PCMBlock) throws(DecodeError) {}
    package func finish() throws(DecodeError) {}
}
