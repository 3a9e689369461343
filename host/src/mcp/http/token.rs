//! The token that a client must show.

use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// The shortest token that is taken; shorter ones can be guessed.
const SHORTEST: usize = 16;

/// A bearer token. Never shown by `Debug`.
#[derive(Clone)]
pub struct Token(String);

/// Why a token is of no use.
#[derive(Debug, thiserror::Error)]
pub enum TokenError {
    /// Its file cannot be read.
    #[error("cannot read the token from {0}: {1}")]
    Unreadable(PathBuf, io::Error),
    /// It can be guessed.
    #[error("the token has {0} characters; take at least {SHORTEST}, such as those of `openssl rand -hex 32`")]
    Weak(usize),
    /// It cannot stand in a header.
    #[error(
        "the token has spaces in it, or other than visible ASCII characters; take such as those of \
         `openssl rand -hex 32`"
    )]
    Unfit,
    /// The system gives no random numbers.
    #[error("cannot make a token: {0}; give one with --token-file or the variable SHELLWARD_MCP_TOKEN")]
    Random(io::Error),
}

impl Token {
    /// Takes a token that somebody has chosen.
    ///
    /// # Errors
    /// When it is too short, or no token at all.
    pub fn new(text: &str) -> Result<Self, TokenError> {
        let text = text.trim();
        if !text.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(TokenError::Unfit);
        }
        if text.len() < SHORTEST {
            return Err(TokenError::Weak(text.len()));
        }
        Ok(Self(text.to_owned()))
    }

    /// Reads a token from a file.
    ///
    /// # Errors
    /// When there is none in it.
    pub fn read(path: &Path) -> Result<Self, TokenError> {
        let text = std::fs::read_to_string(path).map_err(|error| TokenError::Unreadable(path.to_owned(), error))?;
        Self::new(&text)
    }

    /// Makes a token of 256 random bits.
    ///
    /// # Errors
    /// When the system gives no random numbers.
    pub fn generate() -> Result<Self, TokenError> {
        let mut bytes = [0; 32];
        File::open("/dev/urandom").and_then(|mut file| file.read_exact(&mut bytes)).map_err(TokenError::Random)?;
        Ok(Self(bytes.iter().map(|byte| format!("{byte:02x}")).collect()))
    }

    /// The token itself, for the one who is to have it.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// Whether a request's `Authorization` shows this token. Takes as long for a near miss as for a far one.
    pub(super) fn is_shown_in(&self, authorization: Option<&str>) -> bool {
        let shown = authorization.and_then(|text| {
            let (scheme, token) = text.split_once(' ')?;
            scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
        });
        let Some(shown) = shown else { return false };
        let differences = shown.bytes().zip(self.0.bytes()).fold(0, |all, (left, right)| all | (left ^ right));
        shown.len() == self.0.len() && differences == 0
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_token_itself_opens() {
        let token = Token::new("0123456789abcdef\n").unwrap();
        for (shown, opens) in [
            (Some("Bearer 0123456789abcdef"), true),
            (Some("bearer  0123456789abcdef"), true),
            (Some("Bearer 0123456789abcdeg"), false),
            (Some("Bearer 0123456789abcdef0"), false),
            (Some("Bearer 0123456789abcde"), false),
            (Some("Bearer "), false),
            (Some("0123456789abcdef"), false),
            (Some("Basic 0123456789abcdef"), false),
            (None, false),
        ] {
            assert_eq!(token.is_shown_in(shown), opens, "{shown:?}");
        }
    }

    #[test]
    fn what_can_be_guessed_is_no_token() {
        for weak in ["", "short"] {
            assert!(matches!(Token::new(weak), Err(TokenError::Weak(_))), "{weak}");
        }
        for unfit in ["sixteen and more with spaces", "größer-als-sechzehn"] {
            assert!(matches!(Token::new(unfit), Err(TokenError::Unfit)), "{unfit}");
        }
        let made = Token::generate().unwrap();
        assert_eq!(made.reveal().len(), 64);
        assert_ne!(made.reveal(), Token::generate().unwrap().reveal());
        assert_eq!(format!("{made:?}"), "Token");
    }
}
