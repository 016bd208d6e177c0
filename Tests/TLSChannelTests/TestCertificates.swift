/// Certificates for the tests, made with the openssl program: ECDSA P-256. `leaf` and its like are for relay.example, *.wild.example,
/// 127.0.0.1 and ::1.
enum TestCertificates {
    /// Signs the others; valid until 2126.
    static let authority = Array(
        """
        -----BEGIN CERTIFICATE-----
        MIIBqjCCAVGgAwIBAgIUDHgq9tM3wu7q6SwWDOTjWmCQfwswCgYIKoZIzj0EAwIw
        IjEgMB4GA1UEAwwXTWlsbHJhY2UgdGVzdCBhdXRob3JpdHkwIBcNMjYxMTIzMTI0
        NzAwWhgPMjEyNjEwMzAxMjQ3MDBaMCIxIDAeBgNVBAMMF01pbGxyYWNlIHRlc3Qg
        YXV0aG9yaXR5MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEP+ByKan0qpV22QPq
        YKQrVcD5nUxgEG/BToy+GqlLuIGIhKvmXzz4gQrj4QrIue4CfAVCv7RZqe+RnDTv
        aqpku6NjMGEwHQYDVR0OBBYEFBn3ny0Z3raFYhKXRvtX89By2WOrMB8GA1UdIwQY
        MBaAFBn3ny0Z3raFYhKXRvtX89By2WOrMA8GA1UdEwEB/wQFMAMBAf8wDgYDVR0P
        AQH/BAQDAgIEMAoGCCqGSM49BAMCA0cAMEQCIEy9vbAI12YtnBziMewZliaEdHi0
        jjxbBO6jDyyCfnj9AiBHjL5mB+sIPQqADu9ZAyUi/aU4BYVcgo1wDTK3eh8zyA==
        -----END CERTIFICATE-----

        """.utf8)

    /// Another authority.
    static let other = Array(
        """
        -----BEGIN CERTIFICATE-----
        MIIBjzCCATWgAwIBAgIUA6uObxLxFtmkUuLhuaH+Qt3ZC/gwCgYIKoZIzj0EAwIw
        HDEaMBgGA1UEAwwRQW5vdGhlciBhdXRob3JpdHkwIBcNMjYxMTIzMTI0NzAwWhgP
        MjEyNjEwMzAxMjQ3MDBaMBwxGjAYBgNVBAMMEUFub3RoZXIgYXV0aG9yaXR5MFkw
        EwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEGiuqru6fpYAAHigCgwcYFaKNr0U/GXAz
        Rlr+zEZGipoERfXDHx7vSdOOH51JrWWmOjDGN9vwZN3kC/SNigxFt6NTMFEwHQYD
        VR0OBBYEFMJnWttc7O/KbLw9yUEVczJR2nEsMB8GA1UdIwQYMBaAFMJnWttc7O/K
        bLw9yUEVczJR2nEsMA8GA1UdEwEB/wQFMAMBAf8wCgYIKoZIzj0EAwIDSAAwRQIh
        ANnPtgVztHXz/JAqO5+I5kHqtZ6srq0xhEERGsf7kC38AiAoYdjN1U1OCYFUc0RI
        /2B2ft1LZuP08p2yg+hQkrSYYg==
        -----END CERTIFICATE-----

        """.utf8)

    /// Signed by `authority`; valid until 2120.
    static let intermediate = Array(
        """
        -----BEGIN CERTIFICATE-----
        MIIBhjCCASygAwIBAgIBATAKBggqhkjOPQQDAjAiMSAwHgYDVQQDDBdNaWxscmFj
        ZSB0ZXN0IGF1dGhvcml0eTAgFw0yMDAxMDEwMDAwMDBaGA8yMTIwMDEwMTAwMDAw
        MFowEDEOMAwGA1UEAwwFaW50ZXIwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAAQP
        TlVb7dwa4vKPwuN4U9UrjkxSoS2H6BHwEtfDNxQQovGGZLA8leUsAhOlaitkJ61y
        ++g/W+Ylcbig3e3gJ7YGo2MwYTAPBgNVHRMBAf8EBTADAQH/MA4GA1UdDwEB/wQE
        AwICBDAdBgNVHQ4EFgQUu4wu2DC4GWx90m5vTtp/Bmnym8kwHwYDVR0jBBgwFoAU
        GfefLRnetoViEpdG+1fz0HLZY6swCgYIKoZIzj0EAwIDSAAwRQIgMHPYA/fCvtMD
        RR3c1wCtAqoWt48aMDalH9Znm2qpujICIQDnMS7NJz4MhZHfUJpoqbICg8MKRtRY
        z3QQ6RnkK7VWgw==
        -----END CERTIFICATE-----

        """.utf8)

    /// Signed by `authority`; valid until 2120.
    static let leaf = Array(
        """
        -----BEGIN CERTIFICATE-----
        MIIByDCCAW6gAwIBAgIBAjAKBggqhkjOPQQDAjAiMSAwHgYDVQQDDBdNaWxscmFj
        ZSB0ZXN0IGF1dGhvcml0eTAgFw0yMDAxMDEwMDAwMDBaGA8yMTIwMDEwMTAwMDAw
        MFowDzENMAsGA1UEAwwEbGVhZjBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABFzH
        xYohZ935oFFJclnMd74Ur3mMY24w5pKf0Cc5VlBTEuXP/ADTsAqXgrRNR8NCVp7A
        Q9cS/6rNXr1b7h/H1UOjgaUwgaIwQAYDVR0RBDkwN4INcmVsYXkuZXhhbXBsZYIO
        Ki53aWxkLmV4YW1wbGWHBH8AAAGHEAAAAAAAAAAAAAAAAAAAAAEwCQYDVR0TBAIw
        ADATBgNVHSUEDDAKBggrBgEFBQcDATAdBgNVHQ4EFgQUQciZf505wuVH5p9rcQLo
        CldDh1gwHwYDVR0jBBgwFoAUGfefLRnetoViEpdG+1fz0HLZY6swCgYIKoZIzj0E
        AwIDSAAwRQIgA/bDWbCXdaqsgKb+x8n31e4ICpBVU/mbIEFyV8nDfckCIQCCF2Fq
        raf560lhN8/wE8mFrZcdQCJTcoOzHIffsxOmHA==
        -----END CERTIFICATE-----

        """.utf8)

    /// Signed by `intermediate`; valid until 2120.
    static let chained = Array(
        """
        -----BEGIN CERTIFICATE-----
        MIIBuTCCAV+gAwIBAgIBBTAKBggqhkjOPQQDAjAQMQ4wDAYDVQQDDAVpbnRlcjAg
        Fw0yMDAxMDEwMDAwMDBaGA8yMTIwMDEwMTAwMDAwMFowEjEQMA4GA1UEAwwHY2hh
        aW5lZDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABFzHxYohZ935oFFJclnMd74U
        r3mMY24w5pKf0Cc5VlBTEuXP/ADTsAqXgrRNR8NCVp7AQ9cS/6rNXr1b7h/H1UOj
        gaUwgaIwQAYDVR0RBDkwN4INcmVsYXkuZXhhbXBsZYIOKi53aWxkLmV4YW1wbGWH
        BH8AAAGHEAAAAAAAAAAAAAAAAAAAAAEwCQYDVR0TBAIwADATBgNVHSUEDDAKBggr
        BgEFBQcDATAdBgNVHQ4EFgQUQciZf505wuVH5p9rcQLoCldDh1gwHwYDVR0jBBgw
        FoAUu4wu2DC4GWx90m5vTtp/Bmnym8kwCgYIKoZIzj0EAwIDSAAwRQIhAI1yGDQh
        lM7LFYqTy87mGvDkhAsaPYUncg/hzD2vqN9zAiAess8MuH7ZMOyDJRLsPPrT0WH5
        qBkTvV0aFwMrXwmTsQ==
        -----END CERTIFICATE-----

        """.utf8)

    /// Signed by `authority`; expired in 2021.
    static let expired = Array(
        """
        -----BEGIN CERTIFICATE-----
        MIIByjCCAW+gAwIBAgIBAzAKBggqhkjOPQQDAjAiMSAwHgYDVQQDDBdNaWxscmFj
        ZSB0ZXN0IGF1dGhvcml0eTAeFw0yMDAxMDEwMDAwMDBaFw0yMTAxMDEwMDAwMDBa
        MBIxEDAOBgNVBAMMB2V4cGlyZWQwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAARc
        x8WKIWfd+aBRSXJZzHe+FK95jGNuMOaSn9AnOVZQUxLlz/wA07AKl4K0TUfDQlae
        wEPXEv+qzV69W+4fx9VDo4GlMIGiMEAGA1UdEQQ5MDeCDXJlbGF5LmV4YW1wbGWC
        Dioud2lsZC5leGFtcGxlhwR/AAABhxAAAAAAAAAAAAAAAAAAAAABMAkGA1UdEwQC
        MAAwEwYDVR0lBAwwCgYIKwYBBQUHAwEwHQYDVR0OBBYEFEHImX+dOcLlR+afa3EC
        6ApXQ4dYMB8GA1UdIwQYMBaAFBn3ny0Z3raFYhKXRvtX89By2WOrMAoGCCqGSM49
        BAMCA0kAMEYCIQCi+oRRIYuidsHkYU92TX9LvHH82A3fYbOysNArmZkr4wIhAPfZ
        zotTmbhm8rGFd4b7SbPDJaT0yjXCg/2jA4lNIZ3j
        -----END CERTIFICATE-----

        """.utf8)

    /// Signed by `authority`; valid from 2110.
    static let future = Array(
        """
        -----BEGIN CERTIFICATE-----
        MIIBzDCCAXKgAwIBAgIBBDAKBggqhkjOPQQDAjAiMSAwHgYDVQQDDBdNaWxscmFj
        ZSB0ZXN0IGF1dGhvcml0eTAiGA8yMTEwMDEwMTAwMDAwMFoYDzIxMjAwMTAxMDAw
        MDAwWjARMQ8wDQYDVQQDDAZmdXR1cmUwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNC
        AARcx8WKIWfd+aBRSXJZzHe+FK95jGNuMOaSn9AnOVZQUxLlz/wA07AKl4K0TUfD
        QlaewEPXEv+qzV69W+4fx9VDo4GlMIGiMEAGA1UdEQQ5MDeCDXJlbGF5LmV4YW1w
        bGWCDioud2lsZC5leGFtcGxlhwR/AAABhxAAAAAAAAAAAAAAAAAAAAABMAkGA1Ud
        EwQCMAAwEwYDVR0lBAwwCgYIKwYBBQUHAwEwHQYDVR0OBBYEFEHImX+dOcLlR+af
        a3EC6ApXQ4dYMB8GA1UdIwQYMBaAFBn3ny0Z3raFYhKXRvtX89By2WOrMAoGCCqG
        SM49BAMCA0gAMEUCIF0LCclhEcqlgC8M4knkSxiGmJEO9OtnYUQUmRbu9h8LAiEA
        x1VDBmFHnxgbzxNzctaGCWN+Rd5YN7ydspqWUtlgR2A=
        -----END CERTIFICATE-----

        """.utf8)

    /// Key of the leaves.
    static let key = Array(
        """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgqLQcWC0lmRYVHqru
        zsa+RkodD9EbAi8k+0j/VltZ5tChRANCAARcx8WKIWfd+aBRSXJZzHe+FK95jGNu
        MOaSn9AnOVZQUxLlz/wA07AKl4K0TUfDQlaewEPXEv+qzV69W+4fx9VD
        -----END PRIVATE KEY-----

        """.utf8)

    /// Key of `other`.
    static let otherKey = Array(
        """
        -----BEGIN EC PRIVATE KEY-----
        MHcCAQEEINPwgN5Xv3CVq0ua8xRnu6pHsob71nbhYQfo60+GWMkmoAoGCCqGSM49
        AwEHoUQDQgAEGiuqru6fpYAAHigCgwcYFaKNr0U/GXAzRlr+zEZGipoERfXDHx7v
        SdOOH51JrWWmOjDGN9vwZN3kC/SNigxFtw==
        -----END EC PRIVATE KEY-----

        """.utf8)

    /// SHA-256 of `leaf`.
    static let leafFingerprint: [UInt8] = [
        0x3b, 0x7a, 0xd4, 0x63, 0xb4, 0xe6, 0xd8, 0x77, 0x0b, 0xc6, 0x9c, 0xa2, 0x07, 0x91, 0xc8, 0xf5,
        0x96, 0xf6, 0xb7, 0xad, 0x6d, 0x24, 0x3b, 0x80, 0xa6, 0xe0, 0x76, 0x6f, 0xd4, 0x4f, 0xbd, 0x67,
    ]

    /// SHA-256 of `other`.
    static let otherFingerprint: [UInt8] = [
        0x44, 0x86, 0xe8, 0xb1, 0x1f, 0xd5, 0xc8, 0x41, 0x5c, 0x91, 0xf4, 0xcb, 0xe1, 0xea, 0xc6, 0x34,
        0xfe, 0xab, 0xaa, 0x4e, 0xac, 0x21, 0x59, 0x96, 0x79, 0xa3, 0x13, 0xdb, 0xd0, 0xb7, 0x08, 0x5f,
    ]

    /// SHA-256 of `expired`.
    static let expiredFingerprint: [UInt8] = [
        0x64, 0x4f, 0x09, 0x9d, 0xac, 0x3b, 0x2a, 0x57, 0x38, 0x68, 0x56, 0xf8, 0x59, 0x2f, 0xd9, 0xd9,
        0xb0, 0x53, 0xf1, 0x23, 0x9c, 0xf4, 0x0e, 0x0a, 0xc0, 0x1f, 0x13, 0x77, 0xee, 0x6e, 0xc0, 0x1c,
    ]
}
