//! The contract's bindings for the host, as generated from `wit/`, where their documentation is.

#![expect(missing_docs, reason = "generated from wit/, where every item is documented")]

wasmtime::component::bindgen!({
    path: "../wit",
    world: "policy",
    imports: { default: trappable },
    additional_derives: [PartialEq, serde::Serialize, serde::Deserialize],
});
