"""Values to pictures: small SVG charts, drawn without any library, that need nothing to be shown."""
