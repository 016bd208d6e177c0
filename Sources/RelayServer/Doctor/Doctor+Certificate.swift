import ControlServer
import Foundation

extension Doctor {
    /// Remaining validity below which a certificate should have been renewed, in seconds: 14 days.
    private static let renewal: TimeInterval = 14 * 86_400

    /// Checks whether the files of the HTTP port's certificate can be used, and until when it is valid.
    func certificate(at now: Date = Date()) -> DoctorFinding {
        let check = "certificate"
        let (path, key) = (configuration.httpTLSCertificate, configuration.httpTLSKey)
        guard !path.isEmpty, !key.isEmpty else { return DoctorFinding(check, .ok, "none: HTTP without TLS") }
        do throws(CertificateStore.Unreadable) {
            _ = try CertificateStore(certificate: path, key: key)
        } catch {
            return DoctorFinding(
                check, .fail, error.description, advice: "set http.tlsCertificate and http.tlsKey to readable PEM files"
            )
        }
        guard let text = try? String(contentsOfFile: path, encoding: .utf8),
            let validity = CertificateValidity(pem: text)
        else {
            return DoctorFinding(
                check, .warn, "\(path): the time of validity cannot be read",
                advice: "check it with openssl x509 -dates")
        }
        let until = validity.to.formatted(.iso8601)
        if now < validity.from {
            return DoctorFinding(
                check, .fail, "\(path) is not valid before \(validity.from.formatted(.iso8601))",
                advice: "check the clock of this host")
        }
        if now >= validity.to {
            return DoctorFinding(
                check, .fail, "\(path) expired at \(until)", advice: "renew it; the relay loads new files at once")
        }
        if validity.to.timeIntervalSince(now) < Self.renewal {
            return DoctorFinding(check, .warn, "\(path) is valid until \(until)", advice: "check its automatic renewal")
        }
        return DoctorFinding(check, .ok, "\(path) is valid until \(until)")
    }
}
