import WebRTCClient

extension TransportStatistics {
    init(_ endpoint: EndpointStatistics) {
        sentPackets = endpoint.sentPackets
        sentBytes = endpoint.sentBytes
        receivedPackets = endpoint.receivedPackets
        receivedBytes = endpoint.receivedBytes
        retransmissions = endpoint.retransmissions
        recovered = endpoint.recovered
        keyFrameRequestsSent = endpoint.keyFrameRequestsSent
        keyFrameRequestsReceived = endpoint.keyFrameRequestsReceived
        reportedLoss = Double(endpoint.reportedLoss) / 256
        roundTrip = endpoint.roundTrip.map { Duration($0) }
        availableBitrate = endpoint.reportedBitrate
    }
}
