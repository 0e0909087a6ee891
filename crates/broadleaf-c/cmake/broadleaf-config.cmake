# Finds broadleaf: `find_package(broadleaf)` makes the targets broadleaf::broadleaf (the shared
# library) and broadleaf::static, with the headers broadleaf.h and broadleaf.hpp.
get_filename_component(BROADLEAF_PREFIX "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)

if(NOT TARGET broadleaf::broadleaf)
  add_library(broadleaf::broadleaf SHARED IMPORTED)
  set_target_properties(broadleaf::broadleaf PROPERTIES
    IMPORTED_LOCATION "${BROADLEAF_PREFIX}/lib/libbroadleaf.so.@VERSION@"
    IMPORTED_SONAME "libbroadleaf.so.@VERSION_SHORT@"
    INTERFACE_INCLUDE_DIRECTORIES "${BROADLEAF_PREFIX}/include")

  include(CMakeFindDependencyMacro)
  set(THREADS_PREFER_PTHREAD_FLAG TRUE)
  find_dependency(Threads)
  add_library(broadleaf::static STATIC IMPORTED)
  set_target_properties(broadleaf::static PROPERTIES
    IMPORTED_LOCATION "${BROADLEAF_PREFIX}/lib/libbroadleaf.a"
    INTERFACE_INCLUDE_DIRECTORIES "${BROADLEAF_PREFIX}/include"
    INTERFACE_LINK_LIBRARIES "Threads::Threads;gcc_s;rt;m;${CMAKE_DL_LIBS}")
endif()
