//! The contract's bindings, as generated from `wit/`, where their documentation is.

#![expect(missing_docs, reason = "generated from wit/, where every item is documented")]

wit_bindgen::generate!({
    path: "../../wit",
    world: "policy",
    generate_all,
    pub_export_macro: true,
    export_macro_name: "export_bindings",
    default_bindings_module: "shellward_kit::bindings",
    additional_derives: [PartialEq, serde::Serialize, serde::Deserialize],
});
