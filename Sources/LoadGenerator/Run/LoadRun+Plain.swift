import MediaEngine
import SRTP

extension LoadRun {
    func publishPlain(_ door: any RelayDoor, index: Int) async throws(LoadError) -> Seat {
        var request = PlainTransportRequest(direction: .publish, session: plan.sessionName(index / plan.publishers))
        request.stream = plan.streamName(index % plan.publishers)
        request.suite = plan.suite
        request.rtcpMux = true
        if sound != nil { request.audio = PlainTrackRequest() }
        if !sources.isEmpty { request.video = PlainTrackRequest() }
        let transport = try await door.open(request)
        sendThread.add(
            PublisherSetup(
                index: index, transport: transport, video: source(of: index), audio: sound, tone: tone(of: index),
                videoOffset: videoOffset(of: index), audioOffset: audioOffset(of: index)))
        return .plain(transport, socket: nil)
    }

    func joinPlain(
        _ door: any RelayDoor, index: Int, publisher: Int, started: Int64, isSampled: Bool
    ) async throws(LoadError) -> Roster.Entry {
        let socket = try UDPSocket(host: plan.localAddress, receiveBuffer: 1 << 20, coalescing: true)
        var request = PlainTransportRequest(
            direction: .subscribe, session: plan.sessionName(publisher / plan.publishers))
        request.stream = plan.streamName(publisher % plan.publishers)
        request.suite = plan.suite
        request.rtcpMux = true
        request.address = plan.localAddress
        if plan.audio { request.audio = PlainTrackRequest(port: socket.port) }
        if plan.video != nil { request.video = PlainTrackRequest(port: socket.port) }
        let transport = try await door.open(request)
        let feed =
            isSampled
            ? feed(
                key: transport.relayKey, audioSSRC: transport.audio?.ssrc, videoSSRC: transport.video?.ssrc,
                publisher: publisher, joined: started) : nil
        let thread = index % receiveThreads.count
        receiveThreads[thread].add(
            SubscriberSetup(index: index, transport: transport, socket: socket, joined: started, feed: feed))
        return Roster.Entry(
            index: index, thread: thread, seat: .plain(transport, socket: socket), isSampled: isSampled)
    }

    /// - Parameter key: nil if packets arrive decrypted.
    func feed(key: SRTPKey?, audioSSRC: UInt32?, videoSSRC: UInt32?, publisher: Int, joined: Int64) -> SampleFeed {
        let feed = SampleFeed(
            source: SampleFeed.Source(
                relayKey: key, audioSSRC: audioSSRC, videoSSRC: videoSSRC,
                tone: plan.audio ? TestTone(publisher: tone(of: publisher)) : nil, format: plan.video,
                sendOffset: videoOffset(of: publisher), joined: joined),
            wakeUp: decoder.event)
        decoder.add(feed)
        return feed
    }
}
