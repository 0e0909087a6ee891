//! Compiles the functions of C through which Embree is called, with the feature `embree`.

fn main() {
    println!("cargo:rerun-if-changed=src/meshes/embree.c");
    println!("cargo:rerun-if-changed=src/subjects/embree.c");
    #[cfg(feature = "embree")]
    {
        cc::Build::new().files(["src/meshes/embree.c", "src/subjects/embree.c"]).compile("peer_embree");
        println!("cargo:rustc-link-lib=embree3");
    }
}
