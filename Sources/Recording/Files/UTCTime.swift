/// A wall-clock time as ISO 8601 text, to the millisecond.
package struct UTCTime: Sendable {
    private let date: (year: Int, month: Int, day: Int)
    private let milliseconds: Int

    package init(unixNanoseconds: Int64) {
        let total = unixNanoseconds / 1_000_000 - (unixNanoseconds % 1_000_000 < 0 ? 1 : 0)
        var days = Int(total / 86_400_000)
        var rest = Int(total % 86_400_000)
        if rest < 0 {
            rest += 86_400_000
            days -= 1
        }
        milliseconds = rest
        // Days since 1 March 0000 in the civil calendar, in eras of 400 years.
        days += 719_468
        let era = (days >= 0 ? days : days - 146_096) / 146_097
        let dayOfEra = days - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shifted = (5 * dayOfYear + 2) / 153
        let month = shifted < 10 ? shifted + 3 : shifted - 9
        date = (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shifted + 2) / 5 + 1)
    }

    /// `20260801T120000.250Z`
    package var basic: String {
        "\(pad(date.year, 4))\(pad(date.month, 2))\(pad(date.day, 2))T\(pad(hour, 2))\(pad(minute, 2))\(second)Z"
    }

    /// `2026-08-01T12:00:00.250Z`
    package var extended: String {
        "\(pad(date.year, 4))-\(pad(date.month, 2))-\(pad(date.day, 2))T\(pad(hour, 2)):\(pad(minute, 2)):\(second)Z"
    }

    private var hour: Int { milliseconds / 3_600_000 }
    private var minute: Int { milliseconds / 60_000 % 60 }
    private var second: String { pad(milliseconds / 1000 % 60, 2) + "." + pad(milliseconds % 1000, 3) }

    private func pad(_ value: Int, _ digits: Int) -> String {
        let text = String(value)
        return String(repeating: "0", count: max(0, digits - text.count)) + text
    }
}
