import Foundation

extension Double {
    /// Text for display, with about three digits.
    var short: String {
        switch abs(self) {
        case 0: "0"
        case ..<10: String(format: "%.2f", self)
        case ..<100: String(format: "%.1f", self)
        default: String(format: "%.0f", self)
        }
    }
}
