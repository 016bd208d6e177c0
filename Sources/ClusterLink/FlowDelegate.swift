import NIOCore

/// Reports the demand of a sequence's reader to the channel's last handler, as outbound events.
final class FlowDelegate: NIOAsyncSequenceProducerDelegate {
    private let channel: any Channel

    init(_ channel: any Channel) { self.channel = channel }

    func produceMore() { report(.resume) }

    func didTerminate() { report(.end) }

    /// Reports an event later: the sequence calls its delegate also from within `yield` and `finish`, in which the handler is busy.
    private func report(_ event: FlowEvent) {
        let channel = channel
        channel.eventLoop.execute { channel.triggerUserOutboundEvent(event, promise: nil) }
    }
}
