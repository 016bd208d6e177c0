import Forwarding
import MediaBase
import SRTP

/// Consequence of a change of a session, outside of the session. The worker carries effects out in their order, after the change.
enum SessionEffect {
    /// A key frame is needed from a publisher.
    /// - Parameter isAwaited: a subscriber receives nothing from the producer before that key frame.
    case requestKeyFrame(Producer, isAwaited: Bool)
    case event(StreamEvent)
    /// The input of a subscriber's next allocation has changed. Plain subscribers have none.
    case allocate(SubscribeTransport)
    /// Part: the encodings of mirrored streams that it takes, or their takers, are others than before. The home part needs them.
    case needEncodings([UInt64: Int])
    /// Encodings of a pipe are withheld from now on.
    case withheld(encodings: Int)
    /// Housekeeping has to visit the session soon.
    case visit
    /// A consumer has switched to another encoding or spatial layer.
    case switched(after: MediaTime)
    /// A subscriber's first frame of a video was forwarded.
    case firstFrame(after: MediaTime)
    /// A track was paused because its path has too little bandwidth.
    case trackPaused
    /// A limit refused a track or a call.
    case refused
    /// A subscriber's budget refused a key frame request.
    case keyFrameLimited
    case sendToPublisher([UInt8], Producer, PublishTransport)
    case sendToSubscriber([UInt8], SubscribedTrack, SubscribeTransport)
    /// A publisher has ended. Its inbound tracks are removed already.
    case publisherClosed(PublishTransport, tracks: [Int])
    case subscriberClosed(SubscribeTransport)
    #if DEBUG
        /// A consumer was added, for injected faults.
        case attached(SubscribedTrack, Producer)
    #endif
}
