//! Compiles the functions through which peers in C and C++ are called, with the features `embree` and `bullet`.

fn main() {
    println!("cargo:rerun-if-changed=src/meshes/embree.c");
    println!("cargo:rerun-if-changed=src/subjects/embree.c");
    println!("cargo:rerun-if-changed=src/subjects/bullet.cpp");
    #[cfg(feature = "embree")]
    {
        cc::Build::new().files(["src/meshes/embree.c", "src/subjects/embree.c"]).compile("peer_embree");
        println!("cargo:rustc-link-lib=embree3");
    }
    #[cfg(feature = "bullet")]
    {
        // Bullet's libraries are named after the compiled file that calls them: a linker searches in that order.
        let bullet = pkg_config::Config::new().cargo_metadata(false).probe("bullet").expect("Bullet is installed");
        cc::Build::new()
            .cpp(true)
            .includes(&bullet.include_paths)
            .file("src/subjects/bullet.cpp")
            .compile("peer_bullet");
        for library in ["BulletCollision", "LinearMath"] {
            println!("cargo:rustc-link-lib={library}");
        }
    }
}
