// What is drawn: solids as instances, and lines, from buffers of floats.

import * as THREE from 'three';

/** Instances of one solid, from a buffer of matrices and one of colours. */
export class Solids {
  constructor(scene, geometry, material) {
    Object.assign(this, { scene, geometry, material });
    this.reserve(1024);
  }

  reserve(count) {
    const visible = this.mesh?.visible ?? true;
    if (this.mesh) {
      this.scene.remove(this.mesh);
      this.mesh.dispose();
    }
    this.mesh = new THREE.InstancedMesh(this.geometry, this.material, count);
    this.mesh.instanceColor = new THREE.InstancedBufferAttribute(new Float32Array(count * 3), 3);
    this.mesh.instanceMatrix.setUsage(THREE.DynamicDrawUsage);
    this.mesh.instanceColor.setUsage(THREE.DynamicDrawUsage);
    // The instances are anywhere.
    this.mesh.frustumCulled = false;
    this.mesh.visible = visible;
    this.scene.add(this.mesh);
  }

  set(matrices, colors) {
    const count = matrices.length / 16;
    const capacity = this.mesh.instanceMatrix.count;
    if (count > capacity) this.reserve(Math.ceil(count * 1.5));
    this.mesh.count = count;
    upload(this.mesh.instanceMatrix, matrices);
    upload(this.mesh.instanceColor, colors);
  }
}

/** Lines, from a buffer of ends, and maybe one of colours. */
export class Lines {
  constructor(scene, { color = 0xffffff, opacity = 1, colored = false, onTop = false }) {
    const material = new THREE.LineBasicMaterial({
      color, opacity, transparent: opacity < 1 || onTop, vertexColors: colored, depthTest: !onTop, depthWrite: false,
    });
    this.lines = new THREE.LineSegments(new THREE.BufferGeometry(), material);
    this.lines.frustumCulled = false;
    this.lines.renderOrder = onTop ? 2 : 1;
    this.colored = colored;
    this.reserve(3 * 1024);
    scene.add(this.lines);
  }

  reserve(floats) {
    // Geometries keep the size of their attributes, so a larger one is a new one.
    this.lines.geometry.dispose();
    this.lines.geometry = new THREE.BufferGeometry();
    for (const name of this.colored ? ['position', 'color'] : ['position']) {
      const attribute = new THREE.BufferAttribute(new Float32Array(floats), 3);
      this.lines.geometry.setAttribute(name, attribute.setUsage(THREE.DynamicDrawUsage));
    }
  }

  set(ends, colors) {
    if (ends.length > this.lines.geometry.attributes.position.array.length) this.reserve(Math.ceil(ends.length * 0.5) * 3);
    this.lines.geometry.setDrawRange(0, ends.length / 3);
    this.lines.visible = ends.length > 0;
    upload(this.lines.geometry.attributes.position, ends);
    if (this.colored) upload(this.lines.geometry.attributes.color, colors);
  }

  set color(color) {
    this.lines.material.color.set(color);
  }

  set opacity(opacity) {
    this.lines.material.opacity = opacity;
    this.lines.material.transparent = true;
  }
}

function upload(attribute, floats) {
  if (floats.length === 0) return;
  attribute.array.set(floats);
  attribute.clearUpdateRanges();
  attribute.addUpdateRange(0, floats.length);
  attribute.needsUpdate = true;
}
