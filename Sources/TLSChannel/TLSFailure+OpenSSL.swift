import COpenSSL
import Foundation

extension TLSFailure {
    /// Returns the first error in this thread's OpenSSL error queue, and clears the queue.
    static func takeLibraryError(_ fallback: String) -> TLSFailure { .library(takeReason() ?? fallback) }

    /// Returns the error that ended a handshake or a connection.
    static func takeProtocolError() -> TLSFailure {
        let code = takeErrorCode()
        guard code != 0 else { return .protocolError("no reason given") }
        let number = millrace_err_reason(code)
        // The alert number is the reason minus this base.
        if millrace_err_is_system(code) == 0, number > SSL_AD_REASON_OFFSET, number <= SSL_AD_REASON_OFFSET + 255 {
            return .alert(UInt8(number - SSL_AD_REASON_OFFSET), reason(of: code))
        }
        return .protocolError(reason(of: code))
    }

    /// Returns the text of the first error in the queue, and clears the queue; nil if there is none.
    static func takeReason() -> String? {
        let code = takeErrorCode()
        return code == 0 ? nil : reason(of: code)
    }

    /// The first error is the cause, later ones are its consequences.
    private static func takeErrorCode() -> UInt {
        let code = ERR_peek_error()
        ERR_clear_error()
        return code
    }

    private static func reason(of code: UInt) -> String {
        if millrace_err_is_system(code) != 0 { return String(cString: strerror(millrace_err_reason(code))) }
        guard let text = ERR_reason_error_string(code) else { return "error \(code)" }
        return String(cString: text)
    }
}
