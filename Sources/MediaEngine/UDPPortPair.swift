import CLinuxNet
import Glibc
import MediaBase

/// The two sockets of one worker's plain transports: RTP on an even port, RTCP on the odd one after it (RFC 3550 section 11).
struct UDPPortPair {
    let rtp: Int32
    let rtcp: Int32
    let port: UInt16
    let rtcpPort: UInt16

    init(_ configuration: EngineConfiguration, worker: Int) throws(EngineError) {
        if configuration.plainPort != 0 {
            let wanted = Int(configuration.plainPort) + 2 * worker
            guard wanted % 2 == 0, wanted <= 65_534 else {
                throw .invalidRequest(field: "plainPort", reason: "must be even, with two ports per worker below 65536")
            }
            self = try Self(configuration, port: UInt16(wanted))
            return
        }
        // Any free pair: asks the kernel for a port until the port is even and the next one is free.
        var last = EngineError.systemCall(name: "bind", errno: EADDRINUSE)
        for _ in 0..<64 {
            let probe = try UDPPort.open(configuration, port: 0, coalesces: false)
            millrace_close(probe.socket)
            guard probe.port % 2 == 0, probe.port != 0 else { continue }
            do {
                self = try Self(configuration, port: probe.port)
                return
            } catch {
                last = error
            }
        }
        throw last
    }

    private init(_ configuration: EngineConfiguration, port: UInt16) throws(EngineError) {
        rtp = try UDPPort.open(configuration, port: port, coalesces: true).socket
        do {
            // The RTCP receiver's buffers cannot hold datagrams that the kernel has joined.
            rtcp = try UDPPort.open(configuration, port: port + 1, coalesces: false).socket
        } catch {
            millrace_close(rtp)
            throw error
        }
        self.port = port
        rtcpPort = port + 1
    }
}
