package import HTTPCalls

extension Doctor {
    /// Maximum time of one request to a relay.
    private static let patience = Duration.seconds(5)

    /// Checks a running relay by its HTTP endpoints: whether it accepts clients, and the metrics that name causes of faults.
    ///
    /// - Parameter token: the admin token, which `/metrics` needs if other hosts can reach the relay.
    package static func examine(
        relay target: HTTPTarget, token: String?, by caller: HTTPCaller
    ) async -> [DoctorFinding] {
        let check = "relay"
        var findings: [DoctorFinding] = []
        do throws(HTTPCallError) {
            let ready = try await caller.send(
                HTTPCall(method: "GET", target: target.appending("/readyz")), within: patience)
            switch ready.status {
            case 200: findings.append(DoctorFinding(check, .ok, "\(target) accepts clients"))
            case 503:
                findings.append(
                    DoctorFinding(
                        check, .fail, "\(target) refuses new clients: it drains or has not started",
                        advice: "read its log; start it again after a drain"))
            default:
                return [
                    DoctorFinding(
                        check, .fail, "\(target) answers /readyz with status \(ready.status)",
                        advice: "check whether a relay listens there, and the paths of a proxy before it")
                ]
            }
            let fields = token.map { [("Authorization", "Bearer \($0)")] } ?? []
            let metrics = try await caller.send(
                HTTPCall(method: "GET", target: target.appending("/metrics"), fields: fields), within: patience)
            guard metrics.status == 200 else {
                let detail = "/metrics answers with status \(metrics.status), so media is unchecked"
                return findings + [
                    DoctorFinding(
                        "metrics", .warn, detail, advice: "give the admin token (--token, MILLRACE_ADMIN_TOKEN)")
                ]
            }
            return findings + RelayMetrics(String(decoding: metrics.body, as: UTF8.self)).findings
        } catch {
            return [
                DoctorFinding(
                    check, .fail, error.description,
                    advice:
                        "check that it runs (systemctl status millrace), its http.address and http.port, firewalls, and its certificate"
                )
            ]
        }
    }
}
