import CLinuxNet
import Foundation
import MediaBase

extension Doctor {
    /// Checks whether the configured ports can be bound. Fails while another relay uses them.
    func ports() -> [DoctorFinding] {
        [exposure(), httpPort()] + plainPorts() + webRTCPorts()
    }

    /// Checks whether this configuration allows the exposure of its HTTP port.
    private func exposure() -> DoctorFinding {
        let check = "http access"
        guard !configuration.isHTTPOnLoopback else { return DoctorFinding(check, .ok, "this host only") }
        let missing = configuration.missingForExposure
        if !missing.isEmpty {
            return DoctorFinding(
                check, .fail, "other hosts can reach it, and settings are missing",
                advice: "set " + missing.joined(separator: "; "))
        }
        if configuration.isHTTPEncrypted { return DoctorFinding(check, .ok, "other hosts, over TLS") }
        return DoctorFinding(
            check, .warn, "other hosts, in plain text", advice: "set http.tlsCertificate and http.tlsKey")
    }

    private func plainPorts() -> [DoctorFinding] {
        guard configuration.mediaPort != 0 else { return [DoctorFinding("media ports", .ok, "any free ones")] }
        var findings: [DoctorFinding] = []
        for worker in 0..<configuration.mediaWorkers {
            for (name, port) in [
                ("rtp", configuration.mediaPort + 2 * worker), ("rtcp", configuration.mediaPort + 2 * worker + 1),
            ] {
                findings.append(udp(name, port, key: "media.port"))
            }
        }
        return findings
    }

    private func webRTCPorts() -> [DoctorFinding] {
        guard configuration.webRTCPort != 0 else { return [DoctorFinding("webrtc ports", .ok, "any free ones")] }
        var findings: [DoctorFinding] = []
        for port in configuration.webRTCPort..<configuration.webRTCPort + configuration.mediaWorkers {
            findings.append(udp("webrtc", port, key: "webrtc.port"))
            if configuration.webRTCTCP {
                findings.append(tcp("webrtc", configuration.mediaAddress, port, keys: ("media.address", "webrtc.port")))
            }
        }
        return findings
    }

    private func udp(_ name: String, _ port: Int, key: String) -> DoctorFinding {
        let check = "udp \(port)"
        guard let number = UInt16(exactly: port), let wanted = SocketAddress(configuration.mediaAddress, port: number)
        else {
            return DoctorFinding(check, .fail, "no such port", advice: "lower \(key) or media.workers")
        }
        var address = millrace_address()
        wanted.withKernelBytes { bytes in withUnsafeMutableBytes(of: &address.bytes) { $0.copyMemory(from: bytes) } }
        address.length = wanted.length
        let socket = millrace_udp_open(&address, 0, 0, 0)
        if socket >= 0 {
            millrace_close(socket)
            return DoctorFinding(check, .ok, "free for \(name)")
        }
        return DoctorFinding(
            check, .fail, "\(name) cannot bind \(wanted): \(errorText(-socket))",
            advice: "stop the program that uses it (ss -lunp) or set \(key)")
    }

    private func httpPort() -> DoctorFinding {
        guard configuration.httpPort != 0 else { return DoctorFinding("http port", .ok, "any free one") }
        return tcp(
            "HTTP", configuration.httpAddress, configuration.httpPort, keys: ("http.address", "http.port"))
    }

    func tcp(
        _ name: String, _ host: String, _ port: Int, keys: (address: String, port: String)
    ) -> DoctorFinding {
        let check = "tcp \(port)"
        guard let number = UInt16(exactly: port), let address = SocketAddress(host, port: number) else {
            return DoctorFinding(
                check, .fail, "\(host) is not a numeric address or \(port) is not a port",
                advice: "set \(keys.address) or \(keys.port)")
        }
        let socket = Glibc.socket(address.isIPv6 ? AF_INET6 : AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard socket >= 0 else {
            return DoctorFinding(check, .fail, "no TCP socket can be opened: \(errorText(errno))")
        }
        defer { close(socket) }
        // The server also binds with this option: connections of an earlier run in TIME_WAIT do not prevent it.
        var one: Int32 = 1
        setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &one, socklen_t(MemoryLayout<Int32>.size))
        let result = address.withKernelBytes { bytes in
            guard let base = bytes.baseAddress else { return Int32(-1) }
            return bind(socket, base.assumingMemoryBound(to: sockaddr.self), socklen_t(address.length))
        }
        if result == 0, listen(socket, 1) == 0 { return DoctorFinding(check, .ok, "free for \(name) on \(host)") }
        return DoctorFinding(
            check, .fail, "\(name) cannot bind \(address): \(errorText(errno))",
            advice: "stop the program that uses it (ss -ltnp) or set \(keys.port)")
    }

    func errorText(_ number: Int32) -> String { String(cString: strerror(number)) }
}
