import COpenSSL

extension DTLSFailure {
    /// Returns the first error in this thread's OpenSSL error queue, and clears the queue.
    static func takeLibraryError(_ fallback: String) -> DTLSFailure {
        let code = takeErrorCode()
        return .library(code == 0 ? fallback : reason(of: code))
    }

    /// Returns the error that ended a handshake or an association.
    static func takeProtocolError() -> DTLSFailure {
        let code = takeErrorCode()
        guard code != 0 else { return .handshake("no reason given") }
        let number = millrace_err_reason(code)
        // The alert number is the reason minus this base.
        if number > SSL_AD_REASON_OFFSET, number <= SSL_AD_REASON_OFFSET + 255 {
            return .alert(UInt8(number - SSL_AD_REASON_OFFSET))
        }
        return number == SSL_R_PEER_DID_NOT_RETURN_A_CERTIFICATE ? .noPeerCertificate : .handshake(reason(of: code))
    }

    /// The first error is the cause, later ones are its consequences.
    private static func takeErrorCode() -> UInt {
        let code = ERR_peek_error()
        ERR_clear_error()
        return code
    }

    private static func reason(of code: UInt) -> String {
        guard let text = ERR_reason_error_string(code) else { return "error \(code)" }
        return String(cString: text)
    }
}
