# The worker and the webhook server, without the demo. Plain Dockerfile syntax: the classic builder takes it.
# BASE_IMAGE needs Python 3.11 or newer with venv, and git; `--build-arg BASE_IMAGE=…` names another.
# Behind a proxy that inspects HTTPS, put its certificate (PEM, *.crt) into ca/ before building.
ARG BASE_IMAGE=debian:bookworm-slim

FROM $BASE_IMAGE AS build
LABEL regreen.build=1
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1 DEBIAN_FRONTEND=noninteractive
# LICENSE is there so that a missing ca/ is no error.
COPY deploy/image-packages LICENSE ca* /src/ca/
RUN sh /src/ca/image-packages python3 python3-venv ca-certificates
WORKDIR /src
COPY requirements.lock .
RUN cat /etc/ssl/certs/ca-certificates.crt $(ls ca/*.crt 2>/dev/null) > /tmp/ca.pem \
    && python3 -m venv /opt/regreen \
    && PIP_CERT=/tmp/ca.pem /opt/regreen/bin/pip install --no-deps --require-hashes -r requirements.lock
COPY requirements-build.lock pyproject.toml README.md LICENSE ./
COPY bot bot
COPY sandbox sandbox
RUN python3 -m venv /tmp/build \
    && PIP_CERT=/tmp/ca.pem /tmp/build/bin/pip install --no-deps --require-hashes -r requirements-build.lock \
    && /tmp/build/bin/pip wheel --no-deps --no-build-isolation --wheel-dir /tmp/wheel . \
    && /opt/regreen/bin/pip install --no-deps --no-index /tmp/wheel/*.whl

FROM $BASE_IMAGE
COPY deploy/image-packages /tmp/
RUN sh /tmp/image-packages python3 git ca-certificates && rm /tmp/image-packages \
    && groupadd --system --gid 10002 regreen \
    && useradd --system --uid 10002 --gid regreen --home-dir /data --shell /usr/sbin/nologin regreen \
    && install -d -o regreen -g regreen -m 0700 /data
COPY --from=build /opt/regreen /opt/regreen
ENV PATH=/opt/regreen/bin:$PATH PYTHONUNBUFFERED=1 REGREEN_DATA_DIR=/data REGREEN_HOST=0.0.0.0 REGREEN_PORT=8080
USER regreen
WORKDIR /data
VOLUME /data
EXPOSE 8080
HEALTHCHECK --interval=30s --timeout=5s --start-period=20s --retries=3 \
    CMD ["python", "-c", "import os, urllib.request as r; r.urlopen(f\"http://127.0.0.1:{os.environ['REGREEN_PORT']}/healthz\", timeout=4)"]
ENTRYPOINT ["regreen"]
CMD ["serve"]
