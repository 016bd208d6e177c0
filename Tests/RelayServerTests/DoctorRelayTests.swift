import Foundation
import HTTPCalls
import Testing

@testable import RelayServer

@Suite("millrace doctor with a running relay")
struct DoctorRelayTests {
    private let caller = HTTPCaller()

    @Test("a relay that accepts clients and has no faults gets no warning")
    func running() async throws {
        try await withRelay { relay, _ in
            let target = try #require(HTTPTarget(relay.url))
            let findings = await Doctor.examine(relay: target, token: nil, by: caller)
            #expect(findings.first?.check == "relay")
            #expect(findings.map(\.check).contains("media paths"))
            #expect(findings.filter { $0.level != .ok } == [])
        }
    }

    @Test("a relay that does not answer fails the check")
    func stopped() async throws {
        let url = try await withRelay { relay, _ in relay.url }
        let findings = await Doctor.examine(relay: try #require(HTTPTarget(url)), token: nil, by: caller)
        #expect(findings.map(\.level) == [.fail])
        #expect(findings.first?.advice != nil)
    }

    @Test("a server without /readyz fails the check")
    func foreign() async throws {
        try await withRelay { relay, _ in
            let target = try #require(HTTPTarget(relay.url + "/other"))
            let findings = await Doctor.examine(relay: target, token: nil, by: caller)
            #expect(findings.map(\.level) == [.fail])
        }
    }

    @Test(
        "each metric that names a cause makes its check warn",
        arguments: [
            (#"millrace_media_path_failures_total{cause="no_packets"} 3"#, "media paths", "media.advertised"),
            (#"millrace_media_path_failures_total{cause="no_handshake"} 3"#, "media paths", "outgoing UDP"),
            (#"millrace_send_drops_total{cause="forbidden"} 1"#, "sending", "firewall"),
            (#"millrace_packets_dropped_total{cause="authentication"} 7"#, "keys", "open a transport"),
            (#"millrace_packets_dropped_total{cause="unknown_ssrc"} 7"#, "publishers", "ssrc"),
            (#"millrace_packets_dropped_total{cause="payload_type"} 7"#, "publishers", "payloadType"),
            ("millrace_key_frame_requests_ignored_total 5", "key frames", "key frame every"),
            ("millrace_tracks_paused_total 5", "bandwidth", "simulcast"),
            ("millrace_nacks_sent_total 60", "publisher loss", "rmem_max"),
            ("millrace_nacks_received_total 60", "subscriber loss", "uplink"),
            (#"millrace_forward_delay_seconds{quantile="0.99"} 0.2"#, "delay", "media.workers"),
            ("millrace_http_accept_pauses_total 1", "connections", "LimitNOFILE"),
            (#"millrace_resource_refusals_total{limit="limit.transportsPerToken"} 2"#, "limits", "configuration.md"),
            (#"millrace_tokens_refused_total{cause="tokenExpired"} 2"#, "tokens", "clocks"),
            ("millrace_recordings_suspended 1", "recording", "space"),
            ("millrace_recording_failures_total 1", "recording", "log"),
            ("millrace_storage_up 0", "database", "log"),
        ])
    func causes(line: String, check: String, advice: String) {
        let findings = RelayMetrics("# HELP x\n" + line + "\n").findings.filter { $0.level != .ok }
        #expect(findings.map(\.check) == [check])
        #expect(findings.first?.advice?.contains(advice) == true)
    }

    @Test(
        "a few failures of many clients, and text that is no metric, make no check warn",
        arguments: [
            #"millrace_media_path_failures_total{cause="no_packets"} 3"# + "\nmillrace_peers_connected_total 100",
            #"millrace_send_drops_total{cause="closed"} 10"#,
            #"millrace_packets_dropped_total{cause="authentication"} 7"# + "\nmillrace_packets_received_total 1000",
            #"millrace_packets_dropped_total{cause="unknown_ssrc"} 10"# + "\nmillrace_packets_received_total 1000",
            "millrace_key_frame_requests_ignored_total 5\nmillrace_key_frame_requests_sent_total 50",
            "millrace_tracks_paused_total 5\nmillrace_peers_connected_total 5",
            "millrace_nacks_sent_total 50\nmillrace_packets_received_total 1000",
            "millrace_nacks_received_total 50\nmillrace_packets_forwarded_total 1000",
            "millrace_nacks_received_total NaN",
            #"millrace_forward_delay_seconds{quantile="0.99"} NaN"#, "millrace_storage_up 1",
            "", "{", "}", " ", "millrace_recordings_suspended", "millrace_recordings_suspended }{ x",
            "a{b=\"} 1\"} +Inf",
        ])
    func quiet(text: String) {
        #expect(RelayMetrics(text).findings.filter { $0.level != .ok } == [])
    }
}
