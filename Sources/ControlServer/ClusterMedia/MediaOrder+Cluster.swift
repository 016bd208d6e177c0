import SessionMedia
import Signaling

extension MediaOrder {
    var opensPeer: Bool {
        switch self {
        case .openPublisher, .openSubscriber, .openVisitor: true
        default: false
        }
    }

    var opensPublisher: Bool {
        switch self {
        case .openPublisher: true
        case .openVisitor(_, let visitor): visitor.isPublisher
        default: false
        }
    }

    /// Streams that the order publishes.
    var publishedStreams: [StreamID] {
        switch self {
        case .openPublisher(_, _, let sections), .updatePublisher(_, _, let sections): sections.map(\.stream)
        case .openVisitor(_, let visitor):
            if case .publish(let stream, _) = visitor.purpose { [stream] } else { [] }
        default: []
        }
    }

    /// Whether the order opens a subscriber without a control connection.
    var opensVisitingSubscriber: Bool {
        if case .openVisitor(_, let visitor) = self { !visitor.isPublisher } else { false }
    }

    /// Whether the order only stops media.
    var stopsMedia: Bool {
        switch self {
        case .setMuted(_, _, let isMuted): isMuted
        case .closeStream, .closePeer, .removeTracks: true
        default: false
        }
    }
}
