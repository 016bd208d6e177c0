internal import ControlServer
internal import MediaBase
internal import MediaEngine
internal import SRTP

extension RelayConfiguration {
    /// The media engine's share.
    var engine: EngineConfiguration {
        var engine = EngineConfiguration()
        engine.workers = mediaWorkers
        engine.bindAddress = mediaAddress
        engine.advertisedAddress = mediaAdvertised
        engine.plainPort = UInt16(mediaPort)
        engine.gather = .microseconds(Int64(mediaGatherMicroseconds))
        switch mediaProtection {
        case .automatic: engine.protection = .automatic
        case .evp: engine.protection = .evp
        case .multiBuffer: engine.protection = .multiBuffer
        }
        engine.offload = mediaOffload == .off ? .off : .automatic
        engine.limits.sessions = limitSessions
        engine.limits.streamsPerSession = limitStreams
        engine.limits.transportsPerSession = limitTransports
        engine.limits.tapsPerStream = limitTaps
        engine.limits.retransmissionBytes = limitRetransmissionBytes
        engine.limits.retransmissionAge = .milliseconds(Int64(limitRetransmissionMilliseconds))
        engine.limits.retransmissionPercent = limitRetransmissionPercent
        engine.limits.publisherTimeout = .seconds(Double(limitPublisherSeconds))
        engine.limits.mailbox = limitMailbox
        engine.limits.receiveBufferBytes = limitReceiveBufferBytes
        engine.limits.sendBufferBytes = limitSendBufferBytes
        return engine
    }

    /// The HTTP doors' share.
    var control: ControlConfiguration {
        var control = ControlConfiguration()
        control.address = effectiveHTTPAddress
        control.port = httpPort
        control.headerBytes = httpHeaderBytes
        control.bodyBytes = httpBodyBytes
        control.sendTime = .seconds(httpSendSeconds)
        control.idleTime = .seconds(httpIdleSeconds)
        control.connections = httpConnections
        control.corsOrigin = httpCORSOrigin
        control.adminToken = adminToken.isEmpty ? nil : adminToken
        return control
    }
}
