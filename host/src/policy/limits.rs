//! What one entry into a policy may use.

use std::time::Duration;

use wasmtime::ResourceLimiter;

/// The bounds of one entry into a policy. An entry that passes one is a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The longest an entry may compute.
    pub deadline: Duration,
    /// Bytes of linear memory, of all the component's memories together.
    pub memory: usize,
    /// Elements of all the component's tables together.
    pub table_elements: usize,
    /// Core instances inside one component.
    pub instances: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { deadline: Duration::from_millis(100), memory: 64 << 20, table_elements: 100_000, instances: 64 }
    }
}

/// Counts what an instance takes and remembers what it was refused, so that the fault can say so.
#[derive(Debug)]
pub(super) struct Meter {
    limits: Limits,
    memory: usize,
    table_elements: usize,
    refused: Option<&'static str>,
}

impl Meter {
    pub(super) fn new(limits: Limits) -> Self {
        Self { limits, memory: 0, table_elements: 0, refused: None }
    }

    /// Which bound was hit, if one was.
    pub(super) fn refused(&self) -> Option<&'static str> {
        self.refused
    }
}

/// Adds what a growth from `current` to `desired` needs to `used`, unless that passes `most`.
fn grow(used: &mut usize, current: usize, desired: usize, most: usize) -> bool {
    let total = used.saturating_add(desired.saturating_sub(current));
    let fits = total <= most;
    if fits {
        *used = total;
    }
    fits
}

impl ResourceLimiter for Meter {
    fn memory_growing(&mut self, current: usize, desired: usize, _maximum: Option<usize>) -> wasmtime::Result<bool> {
        let fits = grow(&mut self.memory, current, desired, self.limits.memory);
        if !fits {
            self.refused = Some("memory");
        }
        Ok(fits)
    }

    fn table_growing(&mut self, current: usize, desired: usize, _maximum: Option<usize>) -> wasmtime::Result<bool> {
        let fits = grow(&mut self.table_elements, current, desired, self.limits.table_elements);
        if !fits {
            self.refused = Some("tables");
        }
        Ok(fits)
    }

    fn instances(&self) -> usize {
        self.limits.instances
    }

    fn tables(&self) -> usize {
        self.limits.instances
    }

    fn memories(&self) -> usize {
        self.limits.instances
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn growth_is_counted_over_all_memories() {
        let mut meter = Meter::new(Limits { memory: 100, ..Limits::default() });
        assert!(meter.memory_growing(0, 60, None).unwrap());
        assert!(meter.memory_growing(0, 40, None).unwrap());
        assert!(!meter.memory_growing(40, 41, None).unwrap());
        assert_eq!(meter.refused(), Some("memory"));
    }
}
